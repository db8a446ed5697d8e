/// A relationship as its author declares it.
public struct RelationshipDescription: Sendable, Hashable {
    /// Unique among the entity's properties, inherited ones included; case matters. Enters the
    /// version hash.
    public var name: String
    /// Name of the entity at the other end.
    public var destination: String
    /// Name of the relationship that leads back. `nil` if there is none.
    public var inverse: String?
    /// Whether there may be more than one destination. ``maximumCount`` is kept apart: a to-one has
    /// 1.
    public var isToMany: Bool
    /// Whether the members of a to-many have an order of their own.
    public var isOrdered = false
    /// Whether no destination passes validation. Core Data's default: true.
    public var isOptional = true
    /// Whether the destinations live in memory only and never reach a store.
    public var isTransient = false
    /// The fewest members of a relationship that is not empty. 0 if there is no bound.
    public var minimumCount = 0
    /// The most members. 0 if there is no bound. A to-one has 1.
    public var maximumCount: Int
    /// What happens to the destinations when the owner is deleted. Not in the version hash.
    public var deleteRule = DeleteRule.nullify
    /// The older per-property index flag, kept for the model's file forms.
    public var isIndexed = false
    /// Whether a store that mirrors to a server takes the relationship along; no engine here asks.
    /// Core Data's default: true.
    public var isSyncable = true
    /// The name that the previous version of the model used. `nil` if the name is the same.
    public var renamingIdentifier: String?
    /// Text that changes the version hash although nothing else did. `nil` if there is none.
    public var versionHashModifier: String?
    /// The author's own texts; kept in every form of the model and read by nothing here.
    public var userInfo: [String: String] = [:]

    /// Declares an optional, unordered relationship.
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

    /// Declares a relationship to at most one object.
    public static func toOne(
        _ name: String, _ destination: String, inverse: String? = nil,
        isOptional: Bool = true, deleteRule: DeleteRule = .nullify
    ) -> Self {
        var description = Self(
            name, to: destination, isToMany: false, inverse: inverse, deleteRule: deleteRule)
        description.isOptional = isOptional
        return description
    }

    /// Declares a relationship to any number of objects.
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
