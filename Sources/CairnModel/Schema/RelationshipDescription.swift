/// A relationship as its author declares it.
public struct RelationshipDescription: Sendable, Hashable {
    public var name: String
    /// Name of the entity at the other end.
    public var destination: String
    /// Name of the relationship that leads back; nil: none.
    public var inverse: String?
    public var isToMany: Bool
    /// Whether the members of a to-many have an order of their own.
    public var isOrdered = false
    /// Whether no destination passes validation. Core Data's default: true.
    public var isOptional = true
    public var isTransient = false
    /// The fewest members of a relationship that is not empty; 0: no bound.
    public var minimumCount = 0
    /// The most members; 0: no bound. A to-one has 1.
    public var maximumCount: Int
    public var deleteRule = DeleteRule.nullify
    public var isIndexed = false
    public var isSyncable = true
    /// The name that the previous version of the model used; nil: the same name.
    public var renamingIdentifier: String?
    /// Text that changes the version hash although nothing else did; nil: none.
    public var versionHashModifier: String?
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
