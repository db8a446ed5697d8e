import CairnModel

/// A setting of an entity in a class, and its source location.
public struct EntitySetting: Sendable {
    enum Kind: Sendable {
        case entity(isAbstract: Bool, originalName: String?, hashModifier: String?)
        case attribute(AttributeSettings)
        case relationship(RelationshipSettings)
        case unique([String])
        case index([String])
    }

    struct AttributeSettings: Sendable {
        let name: String
        var options: [AttributeOption] = []
        var defaultValue = Value.null
        var originalName: String?
        var hashModifier: String?
    }

    struct RelationshipSettings: Sendable {
        let name: String
        let deleteRule: DeleteRule
        let inverse: String?
        let isOptional: Bool
        let counts: ClosedRange<Int>?
        let originalName: String?
        let hashModifier: String?
    }

    let kind: Kind
    /// The file and the line, such as `Library/Author.swift:12`.
    let source: String

    private init(_ kind: Kind, _ file: String, _ line: Int) {
        self.kind = kind
        source = "\(file):\(line)"
    }

    /// Creates a setting of the entity as a whole.
    ///
    /// - Parameters:
    ///   - isAbstract: whether the entity is abstract: only its subentities have objects.
    ///   - originalName: the name in the previous version of the model.
    ///   - hashModifier: a text that changes the version hash.
    public static func entity(
        isAbstract: Bool = false, originalName: String? = nil, hashModifier: String? = nil,
        file: String = #fileID, line: Int = #line
    ) -> Self {
        Self(
            .entity(
                isAbstract: isAbstract, originalName: originalName, hashModifier: hashModifier),
            file, line)
    }

    /// Creates a setting of an attribute.
    ///
    /// - Parameters:
    ///   - options: the options that the Swift type does not determine.
    ///   - originalName: the name in the previous version of the model.
    ///   - hashModifier: a text that changes the version hash.
    public static func attribute(
        _ name: String, _ options: AttributeOption..., originalName: String? = nil,
        hashModifier: String? = nil, file: String = #fileID, line: Int = #line
    ) -> Self {
        let settings = AttributeSettings(
            name: name, options: options, originalName: originalName, hashModifier: hashModifier)
        return Self(.attribute(settings), file, line)
    }

    /// Creates a setting of an attribute with a default value.
    ///
    /// - Parameters:
    ///   - options: the options that the Swift type does not determine.
    ///   - value: the value of a new object.
    ///   - originalName: the name in the previous version of the model.
    ///   - hashModifier: a text that changes the version hash.
    public static func attribute(
        _ name: String, _ options: AttributeOption..., default value: some AttributeValue,
        originalName: String? = nil, hashModifier: String? = nil, file: String = #fileID,
        line: Int = #line
    ) -> Self {
        let settings = AttributeSettings(
            name: name, options: options, defaultValue: value.attributeValue,
            originalName: originalName, hashModifier: hashModifier)
        return Self(.attribute(settings), file, line)
    }

    /// Creates a setting of a relationship.
    ///
    /// - Parameters:
    ///   - deleteRule: what happens to the destinations when the owner is deleted.
    ///   - inverse: the inverse relationship. Only one of the two sides needs to declare it.
    ///   - isOptional: whether the relationship may have no destination.
    ///   - counts: the minimum and the maximum number of members of a to-many relationship that is not empty.
    ///   - originalName: the name in the previous version of the model.
    ///   - hashModifier: a text that changes the version hash.
    public static func relationship(
        _ name: String, deleteRule: DeleteRule = .nullify, inverse: InverseProperty? = nil,
        isOptional: Bool = true, counts: ClosedRange<Int>? = nil, originalName: String? = nil,
        hashModifier: String? = nil, file: String = #fileID, line: Int = #line
    ) -> Self {
        let settings = RelationshipSettings(
            name: name, deleteRule: deleteRule, inverse: inverse?.name, isOptional: isOptional,
            counts: counts, originalName: originalName, hashModifier: hashModifier)
        return Self(.relationship(settings), file, line)
    }

    /// Creates a uniqueness constraint: no two objects have the same values for all of these properties.
    public static func unique(
        _ names: String..., file: String = #fileID, line: Int = #line
    ) -> Self {
        Self(.unique(names), file, line)
    }

    /// Creates an index of these properties. The index is sorted by the first property, then by the second,
    /// and so on.
    public static func index(
        _ names: String..., file: String = #fileID, line: Int = #line
    ) -> Self {
        Self(.index(names), file, line)
    }
}
