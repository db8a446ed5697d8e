/// A predicate checked against an entity: names are properties, constants have the type of what
/// they are compared with. What engines translate and the evaluator compiles.
public indirect enum BoundPredicate: Sendable, Hashable {
    case constant(Bool)
    case comparison(BoundComparison)
    case and([BoundPredicate])
    case or([BoundPredicate])
    case not(BoundPredicate)
}

/// A comparison of bound expressions; meaning as ``FetchPredicate`` says.
public struct BoundComparison: Sendable, Hashable {
    /// The side that a modifier applies to.
    public var left: BoundExpression
    /// How the sides compare.
    public var `operator`: PredicateComparison.Operator
    /// What the left side is compared with; constants have its type already.
    public var right: BoundExpression
    /// How a to-many on the left is taken; `.direct` for a single value.
    public var modifier: PredicateComparison.Modifier
    /// How text compares; without effect on anything else.
    public var options: PredicateComparison.Options

    /// Takes sides that fit each other: nothing is checked here. Binding makes comparisons for
    /// users; engines make them when they split or rewrite a predicate.
    public init(
        _ left: BoundExpression, _ operator: PredicateComparison.Operator,
        _ right: BoundExpression, modifier: PredicateComparison.Modifier = .direct,
        options: PredicateComparison.Options = []
    ) {
        self.left = left
        self.operator = `operator`
        self.right = right
        self.modifier = modifier
        self.options = options
    }
}

/// A side of a bound comparison.
public indirect enum BoundExpression: Sendable, Hashable {
    case constant(Value)
    case list([BoundExpression])
    case path(BoundPath)
    case function(PredicateFunction, [BoundExpression])
    /// `SUBQUERY(…).@count`: how many members match.
    case subqueryCount(BoundSubquery)
    case conditional(BoundPredicate, then: BoundExpression, otherwise: BoundExpression)
}

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
        /// How many of the values reached are not nil; of none: 0.
        case count
        /// Of none: 0. Values that are nil do not count.
        case sum
        /// Of none, or of nil only: nil.
        case min, max, average
    }

    /// What the first step starts from.
    public var start: Start
    /// The steps in order; empty where the leaf is a property of the start itself.
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

/// The members of a collection for which a predicate holds.
public struct BoundSubquery: Sendable, Hashable {
    /// Passes exactly one to-many and ends at objects.
    public var collection: BoundPath
    /// Number of the variable that stands for a member; unique in the whole predicate.
    public var variable: Int
    /// What a member must meet. A path in it starts at the member by
    /// ``BoundPath/Start/variable(_:)``, or at the object under test.
    public var predicate: BoundPredicate

    /// Takes parts that binding checked, or that were rewritten from such.
    public init(collection: BoundPath, variable: Int, predicate: BoundPredicate) {
        self.collection = collection
        self.variable = variable
        self.predicate = predicate
    }
}
