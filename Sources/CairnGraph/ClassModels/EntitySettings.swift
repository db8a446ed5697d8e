/// The settings of an entity that its class declares in addition to the names and types of its properties.
///
/// Settings are used only when a model is created from classes. The macro `@Entity` generates them.
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
    let objectClass: ManagedObject.Type?
    let settings: [EntitySetting]
    /// The file and the line, such as `Library/Author.swift:12`. `nil` if there are no settings.
    let source: String?

    /// No settings.
    public init() { (objectClass, settings, source) = (nil, [], nil) }

    /// Creates the settings of a class. A subclass does not inherit them.
    public init(
        of objectClass: ManagedObject.Type, _ settings: EntitySetting..., file: String = #fileID,
        line: Int = #line
    ) {
        self.objectClass = objectClass
        self.settings = settings
        source = "\(file):\(line)"
    }
}
