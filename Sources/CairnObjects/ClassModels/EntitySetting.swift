import CairnModel

/// A setting of an entity or of one of its properties, with the file and line where the class declares it.
public struct EntitySetting: Sendable {
    @usableFromInline package enum Kind: Sendable {
        case entity(
            isAbstract: Bool, configuration: String?, originalName: String?, hashModifier: String?)
        case attribute(AttributeSettings)
        case relationship(RelationshipSettings)
        case reference(ReferenceSettings)
        case fetchedProperty(FetchedPropertyDescription)
        case unique([String])
        case index([String])
    }

    @usableFromInline package typealias AttributeSettings = (
        name: String, options: [AttributeOption], defaultValue: Value,
        makeInitialValue: (@Sendable () -> Value)?, originalName: String?, hashModifier: String?
    )

    @usableFromInline package typealias RelationshipSettings = (
        name: String, deleteRule: DeleteRule, inverse: InverseProperty, isOptional: Bool,
        counts: ClosedRange<Int>?, originalName: String?, hashModifier: String?
    )

    /// `key` is the attribute that identifies the destination, and `nil` for a reference by URI.
    @usableFromInline package typealias ReferenceSettings = (
        name: String, key: String?, type: AttributeType, originalName: String?,
        hashModifier: String?
    )

    @usableFromInline package let kind: Kind
    /// The file and line, for example `Library/Author.swift:12`.
    @usableFromInline package let source: String

    package init(_ kind: Kind, _ file: String, _ line: Int) {
        self.kind = kind
        source = "\(file):\(line)"
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
