/// The description of an entity, from which a model is compiled.
///
/// ```swift
/// EntityDescription("Book", [
///     .attribute(AttributeDescription("title", .string, isOptional: false)),
///     .relationship(.toOne("author", "Author", inverse: "books")),
/// ])
/// ```
public struct EntityDescription: Sendable, Hashable {
    /// The name, which is case-sensitive and unique in the model. Stores find an entity's rows by its name,
    /// and the name is part of the version hash, so renaming an entity requires a migration (see
    /// ``renamingIdentifier``).
    public var name: String
    /// The name of the entity that this entity inherits from, or `nil` for a root entity.
    public var superentity: String?
    /// Whether only subentities can have objects.
    public var isAbstract = false
    /// The class of the entity's objects. If `nil`, the class is `ManagedObject`.
    public var managedObjectClassName: String?
    /// The properties that the entity declares itself, without inherited ones.
    public var properties: [PropertyDescription]
    /// Lists of property names. No two objects in a store may have equal values for all properties of a list.
    public var uniquenessConstraints: [[String]] = []
    /// The indexes that stores should maintain. They affect only speed, neither results nor version hashes.
    public var fetchIndexes: [FetchIndexDescription] = []
    /// Lists of property names that are indexed together: the predecessor of fetch indexes. A name may also
    /// be an expression such as `SELF`; stores ignore lists with such a name.
    public var compoundIndexes: [[String]] = []
    /// The name in the previous version of the model, or `nil` if the name is the same.
    public var renamingIdentifier: String?
    /// Text that is added to the version hash, in order to change it even if nothing else differs.
    public var versionHashModifier: String?
    /// Whether a store that mirrors its content to a server includes the entity. It is only preserved in
    /// model files; no engine of Cairn uses it. The default is `true`, as in Core Data.
    package var isSyncable = true
    /// Additional information from the author. It is preserved in every file format of models and has no
    /// other effect.
    public var userInfo: [String: String] = [:]

    /// Creates an entity without constraints and indexes.
    ///
    /// - Parameters:
    ///   - name: The name, which must be unique in the model.
    ///   - superentity: The name of the entity to inherit from, which must be in the same model.
    ///   - isAbstract: Whether only subentities can have objects.
    ///   - properties: The entity's own properties, in any order. Compiling the model sorts them by name.
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

/// The description of an index that a store should maintain for an entity.
public struct FetchIndexDescription: Sendable, Hashable {
    /// The kind of index for an element.
    public enum ElementType: Int, Sendable, Hashable {
        /// A sorted index, for equality, ranges and order.
        case binary = 0
        /// An R-tree, for ranges over several numbers at once.
        case rTree = 1
    }

    /// The property or expression that an element indexes.
    public enum Target: Sendable, Hashable {
        /// The name of a property, or a path into a composite, such as `address.city`.
        case property(String)
        /// An expression in predicate syntax: `SELF`, `entity`, or a function such as `canonical:(name)`. It
        /// is preserved in every file format of models, even if no engine can index it.
        case expression(String)
    }

    /// A column of the index: what is indexed, and how.
    public struct Element: Sendable, Hashable {
        /// The property or expression that is indexed.
        public var target: Target
        /// The kind of index for the column.
        public var type: ElementType
        /// Whether the column is sorted in ascending order.
        public var isAscending: Bool

        /// Creates an element. By default, it is sorted in ascending order.
        public init(_ target: Target, type: ElementType = .binary, isAscending: Bool = true) {
            self.target = target
            self.type = type
            self.isAscending = isAscending
        }

        /// Creates an element for a property, or for a path into a composite, with a sorted index.
        public init(_ property: String, isAscending: Bool = true) {
            self.init(.property(property), isAscending: isAscending)
        }
    }

    /// The name, which is unique among the entity's indexes. Engines derive the names of their own indexes
    /// from it.
    public var name: String
    /// The columns. The first column has the highest precedence.
    public var elements: [Element]
    /// A condition on the objects that are indexed. If `nil`, all objects are indexed.
    public var partialPredicate: FetchPredicate?

    /// Creates an index over all objects of the entity, or over those that match a predicate.
    public init(_ name: String, elements: [Element], partialPredicate: FetchPredicate? = nil) {
        self.name = name
        self.elements = elements
        self.partialPredicate = partialPredicate
    }
}
