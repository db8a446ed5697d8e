/// A comparison of bound expressions. ``FetchPredicate`` documents its meaning.
public struct BoundComparison: Sendable, Hashable {
    /// The left side, to which the modifier applies.
    public var left: BoundExpression
    /// The operator that compares the sides.
    public var `operator`: PredicateComparison.Operator
    /// The right side. If it is a constant, it already has the type of the left side.
    public var right: BoundExpression
    /// How the values of a to-many on the left are combined. `.direct` for a single value.
    public var modifier: PredicateComparison.Modifier
    /// Options for comparing text. They have no effect on other types.
    public var options: PredicateComparison.Options

    /// Creates a comparison of two sides whose types must fit each other. This is not checked.
    ///
    /// Binding creates the comparisons of a predicate. Engines create comparisons when they split or rewrite
    /// a predicate.
    package init(
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
