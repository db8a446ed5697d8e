/// One side of a bound comparison.
public indirect enum BoundExpression: Sendable, Hashable {
    case constant(Value)
    case list([BoundExpression])
    case path(BoundPath)
    case function(PredicateFunction, [BoundExpression])
    /// `SUBQUERY(…).@count`: the number of members that match.
    case subqueryCount(BoundSubquery)
    case conditional(BoundPredicate, then: BoundExpression, otherwise: BoundExpression)
}
