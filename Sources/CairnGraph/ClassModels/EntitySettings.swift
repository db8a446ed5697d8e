/// What a class says of its entity beyond the names and types of its properties.
///
/// A model that is made of classes needs this, and nothing else does. The macro `@Entity` writes it.
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
    /// The file and the line, as `Library/Author.swift:12`. `nil` if nothing is said.
    let source: String?

    /// No settings.
    public init() { (objectClass, settings, source) = (nil, [], nil) }

    /// Creates the settings of a class. A subclass that says nothing has none of them.
    public init(
        of objectClass: ManagedObject.Type, _ settings: EntitySetting..., file: String = #fileID,
        line: Int = #line
    ) {
        self.objectClass = objectClass
        self.settings = settings
        source = "\(file):\(line)"
    }
}
