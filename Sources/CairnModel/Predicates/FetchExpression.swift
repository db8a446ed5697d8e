/// A side of a comparison, by names.
public indirect enum FetchExpression: Sendable, Hashable {
    case constant(Value)
    /// `{1, 2, 3}`.
    case list([FetchExpression])
    /// Names from the object under test: attributes, relationships, collection operators
    /// (`@count`, `@sum`, `@min`, `@max`, `@avg`), elements of composites.
    case keyPath([String])
    /// `SELF`: the object under test, or the value under test in a validation rule.
    case evaluatedObject
    /// `$NAME`, to be filled in before binding, or bound by an enclosing subquery.
    case variable(String)
    /// A key path from a subquery's variable or another expression.
    case keyPathOf(FetchExpression, [String])
    /// A call by Core Data's name: `add:to:`, `canonical:`, `lowercase:`, `now`, …
    case function(String, [FetchExpression])
    /// The members of a to-many for which the predicate holds.
    case subquery(
        collection: FetchExpression, variable: String, predicate: FetchPredicate)
    /// `TERNARY(condition, then, else)`.
    case conditional(
        FetchPredicate, then: FetchExpression, otherwise: FetchExpression)
}
