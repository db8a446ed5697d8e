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
