import CairnModel

/// The initial value of an attribute that is evaluated for each new object.
struct InitialValue {
    let name: String
    let storage: PropertySlot
    private let type: AttributeType
    private let function: @Sendable () -> Value

    static func all(of objectClass: ManagedObject.Type, _ entity: Entity) -> [InitialValue] {
        let functions = InitialValues.of(objectClass, entity).functions
        if functions.isEmpty { return [] }
        return entity.attributes.compactMap { attribute in
            guard let function = functions[attribute.name], !attribute.isDerived else { return nil }
            return InitialValue(
                name: attribute.name, storage: PropertySlot(of: attribute), type: attribute.type,
                function: function)
        }
    }

    /// Evaluates the value. Returns `.null` if the attribute's type does not have the value.
    func make() -> Value { checked(function()) }

    /// Returns a value that the program gave, or `.null` if the attribute's type does not have the value.
    func checked(_ value: Value) -> Value { value.fits(type) ? value : .null }
}
