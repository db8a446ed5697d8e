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
