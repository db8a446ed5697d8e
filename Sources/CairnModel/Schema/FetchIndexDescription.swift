/// An index that a store should keep for an entity.
public struct FetchIndexDescription: Sendable, Hashable {
    /// How an element is indexed.
    public enum ElementType: Int, Sendable, Hashable {
        case binary = 0
        case rTree = 1
    }

    /// What an element indexes.
    public enum Target: Sendable, Hashable {
        case property(String)
        /// An expression in predicate syntax, such as `SELF`.
        case expression(String)
    }

    /// One column of the index.
    public struct Element: Sendable, Hashable {
        public var target: Target
        public var type: ElementType
        public var isAscending: Bool

        public init(_ target: Target, type: ElementType = .binary, isAscending: Bool = true) {
            self.target = target
            self.type = type
            self.isAscending = isAscending
        }

        public init(_ property: String, isAscending: Bool = true) {
            self.init(.property(property), isAscending: isAscending)
        }
    }

    public var name: String
    public var elements: [Element]
    /// Only objects that match are indexed; nil: all.
    public var partialPredicate: FetchPredicate?

    public init(_ name: String, elements: [Element], partialPredicate: FetchPredicate? = nil) {
        self.name = name
        self.elements = elements
        self.partialPredicate = partialPredicate
    }
}
