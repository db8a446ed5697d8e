/// An index that a store should keep for an entity.
public struct FetchIndexDescription: Sendable, Hashable {
    /// How an element is indexed.
    public enum ElementType: Int, Sendable, Hashable {
        /// Sorted: answers equality, ranges and order.
        case binary = 0
        /// Core Data's R-tree, for ranges over several numbers at once.
        case rTree = 1
    }

    /// What an element indexes.
    public enum Target: Sendable, Hashable {
        /// A property's name, or a path into a composite: `address.city`.
        case property(String)
        /// An expression in predicate syntax: `SELF`, `entity`, or a function such as
        /// `canonical:(name)`. Kept in every form of the model, whether or not an engine can index
        /// it.
        case expression(String)
    }

    /// One column of the index.
    public struct Element: Sendable, Hashable {
        /// What the column holds.
        public var target: Target
        /// How the column is indexed.
        public var type: ElementType
        /// The direction in which an index over several columns runs through this one.
        public var isAscending: Bool

        /// Indexes sorted and ascending unless told otherwise.
        public init(_ target: Target, type: ElementType = .binary, isAscending: Bool = true) {
            self.target = target
            self.type = type
            self.isAscending = isAscending
        }

        /// Indexes a property, sorted.
        public init(_ property: String, isAscending: Bool = true) {
            self.init(.property(property), isAscending: isAscending)
        }
    }

    /// Unique among the entity's indexes: engines name theirs after it.
    public var name: String
    /// The columns, the deciding one first.
    public var elements: [Element]
    /// Only objects that match are indexed. `nil` stands for all.
    public var partialPredicate: FetchPredicate?

    /// Declares an index over all objects of the entity, or over those that match.
    public init(_ name: String, elements: [Element], partialPredicate: FetchPredicate? = nil) {
        self.name = name
        self.elements = elements
        self.partialPredicate = partialPredicate
    }
}
