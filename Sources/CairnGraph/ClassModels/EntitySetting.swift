import CairnModel

/// One thing that a class says of its entity, and where it says so.
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
    /// The file and the line, as `Library/Author.swift:12`.
    let source: String

    private init(_ kind: Kind, _ file: String, _ line: Int) {
        self.kind = kind
        source = "\(file):\(line)"
    }

    /// Says something of the entity as a whole.
    ///
    /// - Parameters:
    ///   - isAbstract: whether only subentities have objects.
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

    /// Says something of an attribute.
    ///
    /// - Parameters:
    ///   - options: what the type does not say.
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

    /// Says something of an attribute, and what a new object has.
    ///
    /// - Parameters:
    ///   - options: what the type does not say.
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

    /// Says something of a relationship.
    ///
    /// - Parameters:
    ///   - deleteRule: what becomes of the destinations when the owner is deleted.
    ///   - inverse: the relationship that leads back. One of the two says it.
    ///   - isOptional: whether no destination is allowed.
    ///   - counts: the fewest and the most members of a to-many that is not empty.
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

    /// Says that objects differ in these properties, taken together.
    public static func unique(
        _ names: String..., file: String = #fileID, line: Int = #line
    ) -> Self {
        Self(.unique(names), file, line)
    }

    /// Says that stores keep an index of these properties, the deciding one first.
    public static func index(
        _ names: String..., file: String = #fileID, line: Int = #line
    ) -> Self {
        Self(.index(names), file, line)
    }
}
