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
