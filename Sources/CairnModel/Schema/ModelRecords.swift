/// What a compiled model keeps of an entity; ``Entity`` is the handle through which it is read.
struct EntityRecord: Sendable {
    /// As declared, its own properties sorted by name in code units.
    var description: EntityDescription
    var number: EntityNumber
    var superentity: EntityNumber?
    var root: EntityNumber
    /// Direct subentities in the order of their numbers.
    var subentities: [EntityNumber] = []
    /// The number after the last entity below this one: the hierarchy is `number..<end`.
    var end: EntityNumber
    /// Where each own property is kept, in the order of `description.properties`.
    var storage: [PropertyStorage] = []
    /// How many row slots and object slots the entity has, inherited ones included.
    var rowSlotCount = 0
    var objectSlotCount = 0
    /// Whether a property is a derived attribute, inherited ones included.
    var hasDerivedAttributes = false
    /// Each property by name, inherited ones included.
    var places: [String: PropertyPlace] = [:]
    var versionHash = VersionHash([])
    var isVersionHashExact = true
}

/// Where the value of a property is kept.
///
/// Numbers of inherited properties are the same in every subentity: a superentity's slots come
/// first, then own ones by name in code units.
public enum PropertyStorage: Sendable, Hashable {
    /// A slot of the packed row: persistent attributes and to-one relationships.
    case row(slot: Int)
    /// A slot that only the object has: to-many relationships and transient properties.
    case object(slot: Int)
    /// Nowhere: fetched properties.
    case none
}

/// Where a property is declared: the entity, and its index among that entity's own ones.
struct PropertyPlace: Sendable, Hashable {
    var entity: EntityNumber
    var index: Int
}

extension PropertyDescription {
    /// Whether stores keep the property.
    var isPersistent: Bool {
        switch self {
        case .attribute(let attribute): !attribute.isTransient
        case .relationship(let relationship): !relationship.isTransient
        case .fetchedProperty: false
        }
    }

    /// Whether the value has a slot in the packed row.
    var hasRowSlot: Bool {
        switch self {
        case .attribute: isPersistent
        case .relationship(let relationship): isPersistent && !relationship.isToMany
        case .fetchedProperty: false
        }
    }

    /// Declares an optional attribute without a default.
    public static func attribute(_ name: String, _ type: AttributeType) -> Self {
        .attribute(AttributeDescription(name, type))
    }

    /// Declares an attribute; see ``AttributeDescription``.
    public static func attribute(
        _ name: String, _ type: AttributeType, isOptional: Bool, defaultValue: Value = .null,
        validationRules: [ValidationRule] = []
    ) -> Self {
        .attribute(
            AttributeDescription(
                name, type, isOptional: isOptional, defaultValue: defaultValue,
                validationRules: validationRules))
    }

    /// Declares a relationship to at most one object; see ``RelationshipDescription``.
    public static func toOne(
        _ name: String, _ destination: String, inverse: String? = nil,
        isOptional: Bool = true, deleteRule: DeleteRule = .nullify
    ) -> Self {
        .relationship(
            .toOne(
                name, destination, inverse: inverse, isOptional: isOptional,
                deleteRule: deleteRule))
    }

    /// Declares a relationship to any number of objects; see ``RelationshipDescription``.
    public static func toMany(
        _ name: String, _ destination: String, inverse: String? = nil,
        isOrdered: Bool = false, isOptional: Bool = true, deleteRule: DeleteRule = .nullify
    ) -> Self {
        .relationship(
            .toMany(
                name, destination, inverse: inverse, isOrdered: isOrdered, isOptional: isOptional,
                deleteRule: deleteRule))
    }
}
