/// Rules for migrating stores from one version of a model to another, entity by entity.
///
/// Core Data's type is `NSMappingModel`. A mapping model is written in code, or read from an
/// `.xcmappingmodel` or `.cdm` file. Give it to a migration with ``ModelHistory``. Objects of source
/// entities that no entity mapping names are removed.
///
/// ```swift
/// let mapping = MappingModel([
///     EntityMapping(
///         "PersonToEmployee", from: "Person", to: "Employee",
///         attributes: [
///             PropertyMapping("fullName", try FetchExpression(format: "$source.name")),
///             PropertyMapping("level", .constant(.integer(1))),
///         ])
/// ])
/// ```
public struct MappingModel: Sendable, Hashable {
    /// The mappings of entities, in the order in which a migration executes them.
    public var entityMappings: [EntityMapping]

    /// Creates a mapping model. Its names are checked when it is used for two versions.
    public init(_ entityMappings: [EntityMapping] = []) { self.entityMappings = entityMappings }
}

/// Rules for creating objects of one entity from the objects of another entity.
///
/// Core Data's type is `NSEntityMapping`.
public struct EntityMapping: Sendable, Hashable {
    /// The name, which is unique in the mapping model. Relationship mappings refer to it.
    public var name: String
    /// The entity whose objects are mapped, without objects of its subentities. `nil` if the mapping only
    /// adds an entity.
    public var sourceEntityName: String?
    /// The entity of the new objects. `nil` if the objects are removed.
    public var destinationEntityName: String?
    /// The values of attributes. An attribute that is not listed, or has no expression, has its default
    /// value.
    public var attributeMappings: [PropertyMapping]
    /// The destinations of relationships. If only one of a relationship and its inverse is listed with an
    /// expression, the other one follows from it.
    public var relationshipMappings: [PropertyMapping]
    /// The name of the policy that creates the objects, as the program registered it. If `nil`, the
    /// expressions alone determine the objects.
    public var entityMigrationPolicyClassName: String?
    /// Additional information for the policy.
    public var userInfo: [String: String] = [:]
    /// The version hash of the source entity that the mapping was made for. `nil` if it was not recorded.
    package var sourceEntityVersionHash: VersionHash?
    /// The version hash of the destination entity that the mapping was made for. `nil` if it was not
    /// recorded.
    package var destinationEntityVersionHash: VersionHash?

    /// A part of the mapping's file that Cairn does not execute, in words. A migration is refused then.
    package var unsupportedPart: String?

    /// Creates a mapping. Entities and properties are given by name.
    public init(
        _ name: String, from source: String?, to destination: String?,
        attributes: [PropertyMapping] = [], relationships: [PropertyMapping] = [],
        policy: String? = nil
    ) {
        self.name = name
        sourceEntityName = source
        destinationEntityName = destination
        attributeMappings = attributes
        relationshipMappings = relationships
        entityMigrationPolicyClassName = policy
    }
}

/// The rule for one property of the new objects.
///
/// Core Data's type is `NSPropertyMapping`. The value expression may be a constant, `now()`, a path such as
/// `$source.author.name`, or a call of a method of the policy: `FUNCTION($entityPolicy, "name:", $source)`. The
/// expression of a relationship is
/// `FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", "MAPPING", $source.path)`,
/// which leads to the new objects that the named mapping created from the objects at the end of the path, or
/// `FUNCTION($manager, "destinationInstancesForSourceRelationshipNamed:sourceInstances:", "NAME", $source.NAME)`,
/// for objects of any mapping.
public struct PropertyMapping: Sendable, Hashable {
    /// The name of the property of the destination entity.
    public var name: String
    /// The value. `nil` if the property keeps its default value, or if the policy sets it.
    public var valueExpression: FetchExpression?
    /// Additional information for the policy.
    public var userInfo: [String: String] = [:]

    /// Creates a rule. `nil` means that the migration leaves the property alone.
    public init(_ name: String, _ valueExpression: FetchExpression?) {
        self.name = name
        self.valueExpression = valueExpression
    }
}
