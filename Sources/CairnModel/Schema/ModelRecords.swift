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
