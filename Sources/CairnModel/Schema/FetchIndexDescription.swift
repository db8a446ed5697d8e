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
