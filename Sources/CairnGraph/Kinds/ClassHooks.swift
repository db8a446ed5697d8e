import CairnModel

/// The optional hooks of one class of managed objects. They are found once, so that a save pays nothing
/// for a hook that the class does not have, and does not ask each object what it conforms to.
struct ClassHooks {
    /// The class's check of single values, or `nil` if it does not conform to ``ValueValidating``.
    let checkValue: ((ManagedObject, inout Value, String) throws -> Void)?
    /// The class's check of objects, or `nil` if it does not conform to ``ObjectValidating``.
    let checkObject: ((ManagedObject, SaveOperation) throws -> Void)?
    /// The class's preparation of a save, or `nil` if it does not conform to ``SavePreparing``.
    let prepareForSave: ((ManagedObject) -> Void)?

    /// Finds the hooks of a class, its own and those that it inherits.
    init(of objectClass: ManagedObject.Type) {
        checkValue = (objectClass as? any ValueValidating.Type).map { Self.valueCheck(of: $0) }
        checkObject = (objectClass as? any ObjectValidating.Type).map { Self.objectCheck(of: $0) }
        prepareForSave = (objectClass as? any SavePreparing.Type).map { Self.preparation(of: $0) }
    }

    /// Whether the class checks values or objects.
    var validates: Bool { checkValue != nil || checkObject != nil }

    // A kind has the hooks of its own class, and calls them for its own objects: the casts cannot fail.

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
