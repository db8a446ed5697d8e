/// The relationship of another class that leads back.
public struct InverseProperty: Sendable {
    let name: String

    /// Names the relationship that leads back.
    ///
    /// - Parameter path: the property of that name, so that the compiler checks that it is a relationship.
    ///   Where it leads is checked when the model is made.
    public static func named<Other: ManagedObject, Back: RelationshipProperty>(
        _ name: String, _ path: KeyPath<Other, Back>
    ) -> Self {
        Self(name: name)
    }
}
