import CairnModel
import Synchronization

/// The initial value of an attribute that is evaluated for each new object.
struct InitialValue {
    let name: String
    let storage: PropertySlot
    private let type: AttributeType
    private let function: @Sendable () -> Value

    /// Evaluates the value. Returns `.null` if the attribute's type does not have the value.
    func make() -> Value { checked(function()) }

    /// Returns a value that the program gave, or `.null` if the attribute's type does not have the value.
    func checked(_ value: Value) -> Value { value.fits(type) ? value : .null }

    /// Returns the initial values of an entity's objects, which a class and its superclasses declare.
    static func all(of objectClass: ManagedObject.Type, _ entity: Entity) -> [InitialValue] {
        let isPlain = objectClass == ManagedObject.self
        let functions = functions(
            of: isPlain ? ModelClasses.objectClass(of: entity) ?? objectClass : objectClass)
        if functions.isEmpty { return [] }
        return entity.attributes.compactMap { attribute in
            guard let function = functions[attribute.name], !attribute.isDerived else { return nil }
            return InitialValue(
                name: attribute.name, storage: PropertySlot(of: attribute), type: attribute.type,
                function: function)
        }
    }

    /// The functions that return the values, by the names of the attributes.
    private typealias Functions = [String: @Sendable () -> Value]

    /// The functions of the classes that were looked up before.
    private static let known = Mutex<[ObjectIdentifier: Functions]>([:])

    private static func functions(of objectClass: ManagedObject.Type) -> Functions {
        guard objectClass != ManagedObject.self else { return [:] }
        let key = ObjectIdentifier(objectClass)
        if let found = known.withLock({ $0[key] }) { return found }
        let superclass = _getSuperclass(objectClass) as? ManagedObject.Type
        var functions = superclass.map { Self.functions(of: $0) } ?? [:]
        let settings = objectClass.entitySettings
        if settings.objectClass == objectClass {
            for setting in settings.settings {
                guard case .attribute(let attribute) = setting.kind else { continue }
                functions[attribute.name] = attribute.makeInitialValue
            }
        }
        known.withLock { $0[key] = functions }
        return functions
    }
}
