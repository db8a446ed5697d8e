/// A condition on objects that refers to properties by name. Binding it to an entity resolves the names
/// and checks the types.
///
/// A predicate is true or false, and its meaning is the same on every engine:
/// - `nil` is equal only to `nil`. An ordering or text operator is false if either side is `nil`. `NOT` is
///   plain negation, so `NOT (x < 3)` is true if x is `nil`.
/// - Text is compared by Unicode scalars. `[c]` ignores case and `[d]` ignores diacritics, both
///   independently of the locale.
/// - Numbers of different types are compared by value. NaN is equal to NaN and sorts before all numbers.
/// - A key path through a to-one that is `nil` is `nil`. A key path through a to-many requires `ANY`,
///   `ALL`, `NONE`, a collection operator or `SUBQUERY`.
public indirect enum FetchPredicate: Sendable, Hashable {
    /// `TRUEPREDICATE` or `FALSEPREDICATE`.
    case constant(Bool)
    /// A comparison of two expressions, such as `year > 1990` or `ANY tags.name == "new"`.
    case comparison(PredicateComparison)
    /// True if all predicates are true, or if there are no predicates.
    case and([FetchPredicate])
    /// True if at least one predicate is true. False if there are no predicates.
    case or([FetchPredicate])
    /// The negation of a predicate. For example, `NOT (x < 3)` is true if `x` is `nil`.
    case not(FetchPredicate)
}
