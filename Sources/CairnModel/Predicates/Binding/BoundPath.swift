/// A walk from an object over relationships to an attribute, to an object, or to a summary.
public struct BoundPath: Sendable, Hashable {
    /// Where the walk begins.
    public enum Start: Sendable, Hashable {
        /// The object under test.
        case evaluatedObject
        /// A member of the collection of the subquery with this ``BoundSubquery/variable``.
        case variable(Int)
    }

    /// What is taken of each object reached.
    public enum Leaf: Sendable, Hashable {
        /// The object itself: compares by ``ObjectID``.
        case object
        case attribute(Attribute)
        /// An element of a composite attribute: names from the outside in, and its type.
        case element(Attribute, [String], AttributeType)
    }

    /// How the objects that a to-many reaches become one value.
    public enum CollectionOperator: String, Sendable, Hashable, CaseIterable {
        /// The number of reached values that are not nil. 0 if no value is reached.
        case count
        /// The sum of the reached values that are not nil. 0 if there is no such value.
        case sum
        /// Computed from the reached values that are not nil. The result is nil if there is no such
        /// value.
        case min, max, average
    }

    /// What the first step starts from.
    public var start: Start
    /// The steps in order. Empty if the leaf is a property of the start itself.
    public var relationships: [Relationship]
    /// What is taken at the end of the walk.
    public var leaf: Leaf
    /// `nil` for the plain value. The path is then single, or stands under a modifier or `IN`.
    public var collectionOperator: CollectionOperator?

    /// Takes steps that follow each other: each relationship is one of the entity that the one
    /// before leads to. Nothing is checked here.
    public init(
        start: Start = .evaluatedObject, relationships: [Relationship] = [], leaf: Leaf,
        collectionOperator: CollectionOperator? = nil
    ) {
        self.start = start
        self.relationships = relationships
        self.leaf = leaf
        self.collectionOperator = collectionOperator
    }

    /// Whether the walk passes a to-many, so that it may reach several objects.
    public var isToMany: Bool { relationships.contains(where: \.isToMany) }

    /// The type of each value at the leaf; `.objectID` for objects.
    public var leafType: AttributeType {
        switch leaf {
        case .object: .objectID
        case .attribute(let attribute): attribute.type
        case .element(_, _, let type): type
        }
    }
}
