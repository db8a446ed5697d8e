import CairnModel

/// A setting of an entity or of one of its properties, with the file and line where the class declares it.
public struct EntitySetting: Sendable {
    @usableFromInline package enum Kind: Sendable {
        case entity(isAbstract: Bool, originalName: String?, hashModifier: String?)
        case attribute(AttributeSettings)
        case relationship(RelationshipSettings)
        case unique([String])
        case index([String])
    }

    @usableFromInline package struct AttributeSettings: Sendable {
        package let name: String
        @usableFromInline package var options: [AttributeOption] = []
        package var defaultValue = Value.null
        var makeInitialValue: (@Sendable () -> Value)?
        @usableFromInline package var originalName: String?
        package var hashModifier: String?
    }

    @usableFromInline package struct RelationshipSettings: Sendable {
        package let name: String
        @usableFromInline package let deleteRule: DeleteRule
        @usableFromInline package let inverse: InverseProperty
        package let isOptional: Bool
        @usableFromInline package let counts: ClosedRange<Int>?
        @usableFromInline package let originalName: String?
        package let hashModifier: String?
    }

    @usableFromInline package let kind: Kind
    /// The file and line, for example `Library/Author.swift:12`.
    @usableFromInline package let source: String

    private init(_ kind: Kind, _ file: String, _ line: Int) {
        self.kind = kind
        source = "\(file):\(line)"
    }

    /// Creates a setting of the entity as a whole.
    ///
    /// - Parameters:
    ///   - isAbstract: Whether only subentities have objects.
    ///   - originalName: The name in the previous version of the model.
    ///   - hashModifier: A text that changes the version hash.
    ///   - file: The source file of the setting, which problems of the model name. Leave it out to use
    ///     the caller's file.
    ///   - line: The line of the setting in `file`. Leave it out to use the caller's line.
    public static func entity(
        isAbstract: Bool = false, originalName: String? = nil, hashModifier: String? = nil,
        file: String = #fileID, line: Int = #line
    ) -> Self {
        Self(
            .entity(
                isAbstract: isAbstract, originalName: originalName, hashModifier: hashModifier),
            file, line)
    }

    /// Creates the settings of an attribute without a default value.
    ///
    /// - Parameters:
    ///   - name: The name of the property that declares the attribute.
    ///   - options: Settings that the type does not express.
    ///   - originalName: The name in the previous version of the model.
    ///   - hashModifier: A text that changes the version hash.
    ///   - file: The source file of the setting, which problems of the model name. Leave it out to use
    ///     the caller's file.
    ///   - line: The line of the setting in `file`. Leave it out to use the caller's line.
    public static func attribute(
        _ name: String, _ options: AttributeOption..., originalName: String? = nil,
        hashModifier: String? = nil, file: String = #fileID, line: Int = #line
    ) -> Self {
        let settings = AttributeSettings(
            name: name, options: options, originalName: originalName, hashModifier: hashModifier)
        return Self(.attribute(settings), file, line)
    }

    /// Creates the settings of an attribute with a default value.
    ///
    /// - Parameters:
    ///   - name: The name of the property that declares the attribute.
    ///   - options: Settings that the type does not express.
    ///   - value: The value of a new object, and the default in the model.
    ///   - originalName: The name in the previous version of the model.
    ///   - hashModifier: A text that changes the version hash.
    ///   - file: The source file of the setting, which problems of the model name. Leave it out to use
    ///     the caller's file.
    ///   - line: The line of the setting in `file`. Leave it out to use the caller's line.
    public static func attribute(
        _ name: String, _ options: AttributeOption..., default value: some AttributeValue,
        originalName: String? = nil, hashModifier: String? = nil, file: String = #fileID,
        line: Int = #line
    ) -> Self {
        let settings = AttributeSettings(
            name: name, options: options, defaultValue: value._attributeValue,
            originalName: originalName, hashModifier: hashModifier)
        return Self(.attribute(settings), file, line)
    }

    /// Creates the settings of an attribute whose initial value is evaluated for each new object.
    ///
    /// - Parameters:
    ///   - name: The name of the property that declares the attribute.
    ///   - options: Settings that the type does not express.
    ///   - value: The default in the model, which a migration gives to existing objects.
    ///   - makeInitialValue: Returns the value of one new object. Called before the object's
    ///     ``ManagedObject/awakeFromInsert()``, in the turn that inserts the object.
    ///   - originalName: The name in the previous version of the model.
    ///   - hashModifier: A text that changes the version hash.
    ///   - file: The source file of the setting, which problems of the model name. Leave it out to use
    ///     the caller's file.
    ///   - line: The line of the setting in `file`. Leave it out to use the caller's line.
    public static func attribute<Content: AttributeValue>(
        _ name: String, _ options: AttributeOption..., default value: Content? = nil,
        initial makeInitialValue: @escaping @Sendable () -> Content?,
        originalName: String? = nil, hashModifier: String? = nil, file: String = #fileID,
        line: Int = #line
    ) -> Self {
        let settings = AttributeSettings(
            name: name, options: options, defaultValue: value?._attributeValue ?? .null,
            makeInitialValue: { makeInitialValue()?._attributeValue ?? .null },
            originalName: originalName, hashModifier: hashModifier)
        return Self(.attribute(settings), file, line)
    }

    /// Creates the settings of a relationship.
    ///
    /// - Parameters:
    ///   - name: The name of the property that declares the relationship.
    ///   - deleteRule: What happens to the destinations when the owner is deleted.
    ///   - inverse: The inverse relationship. Only one of the two sides needs to name it, and neither if it is
    ///     the only relationship that leads back.
    ///   - isOptional: Whether the relationship may have no destination.
    ///   - counts: The smallest and largest numbers of members of a to-many that is not empty.
    ///   - originalName: The name in the previous version of the model.
    ///   - hashModifier: A text that changes the version hash.
    ///   - file: The source file of the setting, which problems of the model name. Leave it out to use
    ///     the caller's file.
    ///   - line: The line of the setting in `file`. Leave it out to use the caller's line.
    public static func relationship(
        _ name: String, deleteRule: DeleteRule = .nullify, inverse: InverseProperty = .inferred,
        isOptional: Bool = true, counts: ClosedRange<Int>? = nil, originalName: String? = nil,
        hashModifier: String? = nil, file: String = #fileID, line: Int = #line
    ) -> Self {
        let settings = RelationshipSettings(
            name: name, deleteRule: deleteRule, inverse: inverse, isOptional: isOptional,
            counts: counts, originalName: originalName, hashModifier: hashModifier)
        return Self(.relationship(settings), file, line)
    }

    /// Creates a uniqueness constraint: no two objects have the same combination of values of these
    /// properties.
    public static func unique(
        _ names: String..., file: String = #fileID, line: Int = #line
    ) -> Self {
        Self(.unique(names), file, line)
    }

    /// Creates an index of these properties. The most significant property comes first.
    public static func index(
        _ names: String..., file: String = #fileID, line: Int = #line
    ) -> Self {
        Self(.index(names), file, line)
    }
}

/// The settings of an entity that the names and types of the class's properties do not express.
///
/// Settings are needed only to create a model from classes. The macro `@Entity` writes them.
///
/// ```swift
/// override class var entitySettings: EntitySettings {
///     EntitySettings(
///         of: Author.self,
///         .attribute("name", default: ""), .unique("name"),
///         .relationship("books", deleteRule: .cascade, inverse: .named("author", \Book.author)))
/// }
/// ```
public struct EntitySettings {
    @usableFromInline package let objectClass: ManagedObject.Type?
    package let settings: [EntitySetting]
    /// The file and line, for example `Library/Author.swift:12`. `nil` if there are no settings.
    @usableFromInline package let source: String?

    /// Creates empty settings, for a class whose properties express everything about its entity.
    public init() { (objectClass, settings, source) = (nil, [], nil) }

    /// Creates the settings of a class. They do not apply to a subclass that does not override them.
    public init(
        of objectClass: ManagedObject.Type, _ settings: EntitySetting..., file: String = #fileID,
        line: Int = #line
    ) {
        self.objectClass = objectClass
        self.settings = settings
        source = "\(file):\(line)"
    }
}

/// The inverse of a relationship, for ``EntitySetting``.
public struct InverseProperty: Sendable, Equatable {
    /// The name of the inverse relationship, or `nil` if the class names none.
    @usableFromInline package let name: String?
    /// Whether the relationship may be the inverse of another one that the class does not name.
    let isInferred: Bool

    /// The other side names the inverse, or it is inferred: if exactly one relationship leads from one entity to
    /// another one, exactly one leads back, and neither says anything about its inverse, they are each other's
    /// inverses.
    public static let inferred = Self(name: nil, isInferred: true)

    /// The relationship has no inverse.
    public static let none = Self(name: nil, isInferred: false)

    /// Creates a reference to the inverse relationship by its name.
    ///
    /// - Parameters:
    ///   - name: The name of the inverse relationship in the model.
    ///   - path: The property with that name. It lets the compiler check that the property is a
    ///     relationship. The destination of the relationship is checked when the model is created.
    public static func named<Other: ManagedObject, Back: RelationshipProperty>(
        _ name: String, _ path: KeyPath<Other, Back>
    ) -> Self {
        Self(name: name, isInferred: false)
    }
}

/// The type of a property that is a relationship: an optional class, ``Members`` or ``OrderedMembers``.
public protocol RelationshipProperty {}

extension Optional: RelationshipProperty where Wrapped: ManagedObject {}
extension Members: RelationshipProperty {}
extension OrderedMembers: RelationshipProperty {}
