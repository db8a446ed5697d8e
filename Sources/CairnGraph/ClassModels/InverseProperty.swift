/// The inverse of a relationship, which is a property of another class.
public struct InverseProperty: Sendable {
    let name: String

    /// Creates a reference to the inverse relationship with its name.
    ///
    /// - Parameter path: the property with that name, so that the compiler checks that it is a relationship.
    ///   Its destination is checked when the model is created.
    public static func named<Other: ManagedObject, Back: RelationshipProperty>(
        _ name: String, _ path: KeyPath<Other, Back>
    ) -> Self {
        Self(name: name)
    }
}
