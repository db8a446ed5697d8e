/// A reference to the inverse of a relationship, for ``EntitySetting``.
public struct InverseProperty: Sendable {
    let name: String

    /// Creates a reference to the inverse relationship by its name.
    ///
    /// - Parameters:
    ///   - name: The name of the inverse relationship in the model.
    ///   - path: The property with that name. It lets the compiler check that the property is a
    ///     relationship. The destination of the relationship is checked when the model is created.
    public static func named<Other: ManagedObject, Back: RelationshipProperty>(
        _ name: String, _ path: KeyPath<Other, Back>
    ) -> Self {
        Self(name: name)
    }
}
