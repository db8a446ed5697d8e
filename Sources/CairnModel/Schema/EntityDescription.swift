/// An entity as its author declares it.
///
/// ```swift
/// EntityDescription("Book", [
///     .attribute(AttributeDescription("title", .string, isOptional: false)),
///     .relationship(.toOne("author", "Author", inverse: "books")),
/// ])
/// ```
public struct EntityDescription: Sendable, Hashable {
    public var name: String
    /// Name of the entity it inherits properties from; nil: none.
    public var superentity: String?
    /// Whether only its subentities can have objects.
    public var isAbstract = false
    /// Class of its objects; nil: `ManagedObject`.
    public var managedObjectClassName: String?
    /// Own properties; inherited ones are not repeated.
    public var properties: [PropertyDescription]
    /// Each the names of properties whose combined values occur once per store.
    public var uniquenessConstraints: [[String]] = []
    public var fetchIndexes: [FetchIndexDescription] = []
    /// The older index form: each the names of the properties indexed together.
    public var compoundIndexes: [[String]] = []
    /// The name that the previous version of the model used; nil: the same name.
    public var renamingIdentifier: String?
    /// Text that changes the version hash although nothing else did; nil: none.
    public var versionHashModifier: String?
    public var isSyncable = true
    public var userInfo: [String: String] = [:]

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

/// A named group of attributes that an attribute of type `.composite` holds together.
public struct CompositeDescription: Sendable, Hashable {
    public var name: String
    /// Elements in declared order; one may itself be a composite.
    public var elements: [AttributeDescription]

    public init(_ name: String, _ elements: [AttributeDescription]) {
        self.name = name
        self.elements = elements
    }
}
