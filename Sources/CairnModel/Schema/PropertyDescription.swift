/// The description of a property of an entity.
public enum PropertyDescription: Sendable, Hashable {
    /// A property that holds a value.
    case attribute(AttributeDescription)
    /// A property that refers to other objects.
    case relationship(RelationshipDescription)
    /// A property whose value is the result of a fetch. Stores do not save it.
    case fetchedProperty(FetchedPropertyDescription)

    /// The name of the attribute, relationship or fetched property, which is unique among the entity's
    /// properties, including inherited ones.
    public var name: String {
        switch self {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship): relationship.name
        case .fetchedProperty(let fetchedProperty): fetchedProperty.name
        }
    }
}

/// The description of a property whose value is the result of a fetch.
public struct FetchedPropertyDescription: Sendable, Hashable {
    /// The name, which is case-sensitive and unique among the entity's properties, including inherited ones.
    public var name: String
    /// The fetch request. The variable `FETCH_SOURCE` in it is the object that has the property.
    public var template: FetchRequestTemplate
    /// Core Data's flag. Only preserved in model files, because an empty result is always valid.
    public var isOptional = true
    /// Additional information from the author. It is preserved in every file format of models and has no
    /// other effect.
    public var userInfo: [String: String] = [:]
    /// The name in the previous version of the model, or `nil` if the name is the same.
    public var renamingIdentifier: String?

    /// Creates a fetched property that executes a template.
    public init(_ name: String, _ template: FetchRequestTemplate) {
        self.name = name
        self.template = template
    }
}

extension PropertyDescription {
    /// Whether stores save the property.
    var isPersistent: Bool {
        switch self {
        case .attribute(let attribute): !attribute.isTransient
        case .relationship(let relationship): !relationship.isTransient
        case .fetchedProperty: false
        }
    }

    /// Whether the property has a slot in the packed row.
    var hasRowSlot: Bool {
        switch self {
        case .attribute: isPersistent
        case .relationship(let relationship): isPersistent && !relationship.isToMany
        case .fetchedProperty: false
        }
    }

    /// Creates an optional attribute without a default value.
    public static func attribute(_ name: String, _ type: AttributeType) -> Self {
        .attribute(AttributeDescription(name, type))
    }

    /// Creates an attribute with the most common settings. See ``AttributeDescription``.
    public static func attribute(
        _ name: String, _ type: AttributeType, isOptional: Bool, defaultValue: Value = .null,
        validationRules: [ValidationRule] = []
    ) -> Self {
        .attribute(
            AttributeDescription(
                name, type, isOptional: isOptional, defaultValue: defaultValue,
                validationRules: validationRules))
    }

    /// Creates a reference to an object, which may be in another store: an indexed attribute that holds the
    /// object's key. Objects read and set it like a to-one relationship, but it has neither an inverse nor a
    /// delete rule.
    ///
    /// In a model file, a reference is an attribute whose user info has the key `CairnReference` and a value
    /// such as `Species.code`, or `Species` for a reference by URI.
    ///
    /// - Parameters:
    ///   - name: The name, which must be unique among the entity's properties.
    ///   - type: The type of `attribute`, or `.uri` for a reference by URI.
    ///   - entity: The name of the entity whose objects the reference leads to. They may belong to
    ///     subentities.
    ///   - attribute: The name of the attribute that identifies these objects. A uniqueness constraint of the
    ///     entity contains only this attribute. `nil` means that the object's URI identifies it.
    public static func reference(
        _ name: String, _ type: AttributeType = .uri, to entity: String, by attribute: String? = nil
    ) -> Self {
        var description = AttributeDescription(name, type)
        description.isIndexed = true
        description.refer(to: entity, by: attribute)
        return .attribute(description)
    }

    /// Creates a relationship to at most one object. See ``RelationshipDescription``.
    public static func toOne(
        _ name: String, _ destination: String, inverse: String? = nil,
        isOptional: Bool = true, deleteRule: DeleteRule = .nullify
    ) -> Self {
        .relationship(
            .toOne(
                name, destination, inverse: inverse, isOptional: isOptional,
                deleteRule: deleteRule))
    }

    /// Creates a relationship to any number of objects. See ``RelationshipDescription``.
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
