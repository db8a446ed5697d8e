import CairnModel
import Synchronization

/// The initial values of a class's attributes that are evaluated for each new object.
struct InitialValues: Sendable {
    /// The functions that return the values, by the names of the attributes.
    let functions: [String: @Sendable () -> Value]

    /// The values of the classes that were looked up before.
    private static let known = Mutex<[ObjectIdentifier: InitialValues]>([:])

    /// Returns the values that a class and its superclasses declare.
    static func of(_ objectClass: ManagedObject.Type) -> InitialValues {
        let key = ObjectIdentifier(objectClass)
        if let found = known.withLock({ $0[key] }) { return found }
        let found = InitialValues(declaredBy: objectClass)
        known.withLock { $0[key] = found }
        return found
    }

    private init(declaredBy objectClass: ManagedObject.Type) {
        guard objectClass != ManagedObject.self else {
            functions = [:]
            return
        }
        let superclass = _getSuperclass(objectClass) as? ManagedObject.Type
        var functions = superclass.map { Self.of($0).functions } ?? [:]
        let settings = objectClass.entitySettings
        if settings.objectClass == objectClass {
            for setting in settings.settings {
                guard case .attribute(let attribute) = setting.kind else { continue }
                functions[attribute.name] = attribute.makeInitialValue
            }
        }
        self.functions = functions
    }
}

extension InitialValues {
    /// Returns the initial values of an entity's objects.
    static func of(
        _ objectClass: ManagedObject.Type, _ entity: Entity
    ) -> InitialValues {
        let isPlain = objectClass == ManagedObject.self
        return of(isPlain ? ModelClasses.objectClass(of: entity) ?? objectClass : objectClass)
    }
}

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
