import CairnModel

/// The optional hooks of one class of managed objects. They are looked up once per class, so that a save
/// costs nothing for missing hooks and does not check the conformances of each object.
struct ClassHooks {
    /// The class's validation of single values, or `nil` if the class does not conform to
    /// ``ValueValidating``.
    let checkValue: ((ManagedObject, inout Value, String) throws -> Void)?
    /// The class's validation of objects, or `nil` if the class does not conform to
    /// ``ObjectValidating``.
    let checkObject: ((ManagedObject, SaveOperation) throws -> Void)?
    /// The class's preparation for a save, or `nil` if the class does not conform to ``SavePreparing``.
    let prepareForSave: ((ManagedObject) -> Void)?

    /// Looks up the hooks of a class, including those that it inherits.
    init(of objectClass: ManagedObject.Type) {
        checkValue = (objectClass as? any ValueValidating.Type).map { Self.valueCheck(of: $0) }
        checkObject = (objectClass as? any ObjectValidating.Type).map { Self.objectCheck(of: $0) }
        prepareForSave = (objectClass as? any SavePreparing.Type).map { Self.preparation(of: $0) }
    }

    /// Whether the class validates values or objects.
    var validates: Bool { checkValue != nil || checkObject != nil }

    // The casts below cannot fail, because a kind calls the hooks of its own class for its own objects.

    private static func valueCheck<Checking: ValueValidating>(
        of _: Checking.Type
    ) -> (ManagedObject, inout Value, String) throws -> Void {
        { object, value, key in try (object as! Checking).checkValue(&value, forKey: key) }
    }

    private static func objectCheck<Checking: ObjectValidating>(
        of _: Checking.Type
    ) -> (ManagedObject, SaveOperation) throws -> Void {
        { object, operation in try (object as! Checking).checkObject(for: operation) }
    }

    private static func preparation<Preparing: SavePreparing>(
        of _: Preparing.Type
    ) -> (ManagedObject) -> Void {
        { object in (object as! Preparing).prepareForSave() }
    }
}
