/// The relationship of another class that leads back.
public struct InverseProperty: Sendable {
    let name: String

    /// Names a to-one that leads back.
    ///
    /// - Parameter path: the property of that name, so that the compiler checks where it leads.
    public static func named<Other: ManagedObject, Owner: ManagedObject>(
        _ name: String, _ path: KeyPath<Other, Owner?>
    ) -> Self {
        Self(name: name)
    }

    /// Names a to-many that leads back.
    ///
    /// - Parameter path: the property of that name, so that the compiler checks where it leads.
    public static func named<Other: ManagedObject, Owner: ManagedObject>(
        _ name: String, _ path: KeyPath<Other, Members<Owner>>
    ) -> Self {
        Self(name: name)
    }

    /// Names an ordered to-many that leads back.
    ///
    /// - Parameter path: the property of that name, so that the compiler checks where it leads.
    public static func named<Other: ManagedObject, Owner: ManagedObject>(
        _ name: String, _ path: KeyPath<Other, OrderedMembers<Owner>>
    ) -> Self {
        Self(name: name)
    }
}
