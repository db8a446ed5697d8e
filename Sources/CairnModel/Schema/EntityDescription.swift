/// An entity as its author declares it.
///
/// ```swift
/// EntityDescription("Book", [
///     .attribute(AttributeDescription("title", .string, isOptional: false)),
///     .relationship(.toOne("author", "Author", inverse: "books")),
/// ])
/// ```
public struct EntityDescription: Sendable, Hashable {
    /// Unique in the model, by exact case. Stores find their rows by it, and it enters the version
    /// hash, so renaming an entity takes a migration (see ``renamingIdentifier``).
    public var name: String
    /// Name of the entity it inherits properties from. `nil` if there is none.
    public var superentity: String?
    /// Whether only its subentities can have objects.
    public var isAbstract = false
    /// Class of its objects. `nil` stands for `ManagedObject`.
    public var managedObjectClassName: String?
    /// Own properties; inherited ones are not repeated.
    public var properties: [PropertyDescription]
    /// Each the names of properties whose combined values occur once per store.
    public var uniquenessConstraints: [[String]] = []
    /// Indexes that stores should keep; they change speed, never answers, and no version hash.
    public var fetchIndexes: [FetchIndexDescription] = []
    /// The older index form: each the names of the properties indexed together. A name may also be
    /// that of an expression, such as `SELF`; stores make no index of such a list.
    public var compoundIndexes: [[String]] = []
    /// The name that the previous version of the model used. `nil` if the name is the same.
    public var renamingIdentifier: String?
    /// Text that changes the version hash although nothing else did. `nil` if there is none.
    public var versionHashModifier: String?
    /// Whether a store that mirrors to a server takes the entity along; kept for the model's file
    /// forms, no engine here asks. Core Data's default: true.
    public var isSyncable = true
    /// The author's own texts; kept in every form of the model and read by nothing here.
    public var userInfo: [String: String] = [:]

    /// Declares an entity without constraints and indexes.
    ///
    /// - Parameters:
    ///   - superentity: the name of the entity it inherits from, which the model must hold too.
    ///   - properties: own ones, in any order; compiling sorts them by name.
    public init(
        _ name: String, superentity: String? = nil, isAbstract: Bool = false,
        _ properties: [PropertyDescription] = []
    ) {
        self.name = name
        self.superentity = superentity
        self.isAbstract = isAbstract
        self.properties = properties
    }
}
