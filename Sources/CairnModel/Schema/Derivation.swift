/// The rule by which a derived attribute is computed from other properties of its object.
public struct Derivation: Sendable, Hashable {
    /// The expression in predicate syntax, such as `canonical:(name)`, `tags.@count`, `now()`,
    /// `pages.@sum.number` or `author.name`.
    public var expression: String
    /// A condition on the members that a to-many derivation counts. If `nil`, all members count.
    public var filter: FetchPredicate?

    /// Creates a derivation from the text of an expression.
    ///
    /// The expression is parsed and checked against the declaring entity when the model is compiled. An empty
    /// expression means that its form is not supported; the attribute then keeps its current value.
    public init(expression: String, filter: FetchPredicate? = nil) {
        self.expression = expression
        self.filter = filter
    }
}
