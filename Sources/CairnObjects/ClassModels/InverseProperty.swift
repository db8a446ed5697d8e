/// The inverse of a relationship, for ``EntitySetting``.
public struct InverseProperty: Sendable, Equatable {
    /// The name of the inverse relationship, or `nil` if the class names none.
    @usableFromInline package let name: String?
    /// Whether the relationship may be the inverse of another one that the class does not name.
    let isInferred: Bool

    /// The other side names the inverse, or it is inferred: if exactly one relationship leads from one entity to
    /// another one, exactly one leads back, and neither says anything about its inverse, they are each other's
    /// inverses.
    public static let inferred = Self(name: nil, isInferred: true)

    /// The relationship has no inverse.
    public static let none = Self(name: nil, isInferred: false)

    /// Creates a reference to the inverse relationship by its name.
    ///
    /// - Parameters:
    ///   - name: The name of the inverse relationship in the model.
    ///   - path: The property with that name. It lets the compiler check that the property is a
    ///     relationship. The destination of the relationship is checked when the model is created.
    public static func named<Other: ManagedObject, Back: RelationshipProperty>(
        _ name: String, _ path: KeyPath<Other, Back>
    ) -> Self {
        Self(name: name, isInferred: false)
    }
}
