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
