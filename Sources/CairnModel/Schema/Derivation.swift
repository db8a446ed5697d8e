/// How a derived attribute is computed from the other properties of its object.
public struct Derivation: Sendable, Hashable {
    /// The expression in predicate syntax: `canonical:(name)`, `tags.@count`, `now()`,
    /// `pages.@sum.number`, `author.name`.
    public var expression: String
    /// Restricts which members a to-many derivation counts. `nil` stands for all.
    public var filter: FetchPredicate?

    /// Takes the expression as text: it is read and checked against the entity that declares the
    /// attribute when the model is compiled. An empty one stands for a form that is not known: the
    /// attribute keeps the value that it has.
    public init(expression: String, filter: FetchPredicate? = nil) {
        self.expression = expression
        self.filter = filter
    }
}
