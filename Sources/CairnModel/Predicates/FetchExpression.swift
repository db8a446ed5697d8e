/// One side of a comparison, in which properties are referred to by name.
public indirect enum FetchExpression: Sendable, Hashable {
    /// A constant, such as `12`, `"text"` or `NULL`. Binding converts it to the type that it is compared
    /// with.
    case constant(Value)
    /// A list of expressions, such as `{1, 2, 3}`.
    case list([FetchExpression])
    /// Names that are followed from the evaluated object: attributes, relationships, collection operators
    /// (`@count`, `@sum`, `@min`, `@max`, `@avg`) and elements of composites.
    case keyPath([String])
    /// `SELF`: the evaluated object, or the checked value in a validation rule.
    case evaluatedObject
    /// `$NAME`, whose value is substituted before binding or is defined by an enclosing subquery.
    case variable(String)
    /// A key path that starts from a subquery's variable or from another expression.
    case keyPathOf(FetchExpression, [String])
    /// A call of a function by its name in Core Data, such as `add:to:`, `canonical:`, `lowercase:` or `now`.
    case function(String, [FetchExpression])
    /// The members of a to-many for which the predicate is true.
    case subquery(
        collection: FetchExpression, variable: String, predicate: FetchPredicate)
    /// `TERNARY(condition, then, else)`.
    case conditional(
        FetchPredicate, then: FetchExpression, otherwise: FetchExpression)
}
