/// The description of a relationship, from which a model is compiled.
public struct RelationshipDescription: Sendable, Hashable {
    /// The name, which is case-sensitive and unique among the entity's properties, including inherited ones.
    /// It is part of the version hash.
    public var name: String
    /// The name of the destination entity.
    public var destination: String
    /// The name of the relationship that leads back, or `nil` if there is no inverse.
    public var inverse: String?
    /// Whether the relationship may have more than one destination. Changing it does not change
    /// ``maximumCount``, which must be 1 for a to-one.
    public var isToMany: Bool
    /// Whether the members of a to-many are ordered.
    public var isOrdered = false
    /// Whether a relationship without a destination passes validation. The default is `true`, as in Core
    /// Data. A to-many that is not optional may also be empty if ``minimumCount`` is 0.
    public var isOptional = true
    /// Whether the destinations exist only in memory and are never saved.
    public var isTransient = false
    /// The minimum number of members. 0 means that there is no minimum. An optional relationship may also be
    /// empty.
    public var minimumCount = 0
    /// The maximum number of members. 0 means that there is no maximum. 1 for a to-one.
    public var maximumCount: Int
    /// The effect on the destinations when the object that has the relationship is deleted. It is not part of
    /// the version hash.
    public var deleteRule = DeleteRule.nullify
    /// Whether the relationship is indexed, in the older form. Only preserved in model files.
    public var isIndexed = false
    /// Whether a store that mirrors its content to a server includes the relationship. No engine of Cairn
    /// uses it. The default is `true`, as in Core Data.
    package var isSyncable = true
    /// The name in the previous version of the model, or `nil` if the name is the same.
    public var renamingIdentifier: String?
    /// Text that is added to the version hash, in order to change it even if nothing else differs.
    public var versionHashModifier: String?
    /// Additional information from the author. It is preserved in every file format of models and has no
    /// other effect.
    public var userInfo: [String: String] = [:]

    /// Whether validation refuses an object that has no destination.
    package var isRequired: Bool { !isOptional && (!isToMany || minimumCount > 0) }

    /// Creates an optional, unordered relationship.
    public init(
        _ name: String, to destination: String, isToMany: Bool, inverse: String?,
        deleteRule: DeleteRule = .nullify
    ) {
        self.name = name
        self.destination = destination
        self.inverse = inverse
        self.isToMany = isToMany
        self.deleteRule = deleteRule
        self.maximumCount = isToMany ? 0 : 1
    }

    /// Creates a relationship to at most one object.
    public static func toOne(
        _ name: String, _ destination: String, inverse: String? = nil,
        isOptional: Bool = true, deleteRule: DeleteRule = .nullify
    ) -> Self {
        var description = Self(
            name, to: destination, isToMany: false, inverse: inverse, deleteRule: deleteRule)
        description.isOptional = isOptional
        return description
    }

    /// Creates a relationship to any number of objects.
    public static func toMany(
        _ name: String, _ destination: String, inverse: String? = nil,
        isOrdered: Bool = false, isOptional: Bool = true, deleteRule: DeleteRule = .nullify
    ) -> Self {
        var description = Self(
            name, to: destination, isToMany: true, inverse: inverse, deleteRule: deleteRule)
        description.isOrdered = isOrdered
        description.isOptional = isOptional
        return description
    }
}

/// The effect that deleting an object has on the destinations of a relationship.
///
/// Raw values are those of Core Data's `NSDeleteRule`.
public enum DeleteRule: Int, Sendable, Hashable, CaseIterable {
    /// The destination is not changed. Its inverse may then refer to an object that no longer exists.
    case noAction = 0
    /// The deleted object is removed from the destination's inverse.
    case nullify = 1
    /// The destination is also deleted.
    case cascade = 2
    /// The object cannot be deleted as long as the relationship has a destination.
    case deny = 3
}
