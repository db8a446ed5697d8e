/// One side of a bound comparison.
public indirect enum BoundExpression: Sendable, Hashable {
    /// A constant. In a comparison, it already has the type of the other side.
    case constant(Value)
    /// A list of expressions. In a bound predicate, it occurs only on the right side of `IN` and `BETWEEN`.
    case list([BoundExpression])
    /// The value, the object, or the values that a path from an object leads to.
    case path(BoundPath)
    /// The result of a function for arguments that each have a single value. The number and types of the
    /// arguments fit the function.
    case function(PredicateFunction, [BoundExpression])
    /// `SUBQUERY(…).@count`: the number of members that match.
    case subqueryCount(BoundSubquery)
    /// The value of `then` if the predicate is true, otherwise the value of `otherwise`. The two have
    /// compatible types.
    case conditional(BoundPredicate, then: BoundExpression, otherwise: BoundExpression)
}
