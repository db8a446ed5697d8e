/// A condition on objects, by names; binding it to an entity checks and resolves them.
///
/// One meaning on every engine, two-valued:
/// - nil equals nil and nothing else; an ordering or text operator with a nil on either side is
///   false; `NOT` is plain negation, so `NOT (x < 3)` holds where x is nil.
/// - Text compares by Unicode scalars; `[c]` folds case, `[d]` diacritics, neither by locale.
/// - Numbers compare by value across types; NaN equals NaN and sorts before every number.
/// - A key path through a to-one that is nil is nil. Through a to-many it needs `ANY`, `ALL`,
///   `NONE`, a collection operator or `SUBQUERY`.
public indirect enum FetchPredicate: Sendable, Hashable {
    /// `TRUEPREDICATE`, `FALSEPREDICATE`.
    case constant(Bool)
    case comparison(PredicateComparison)
    /// True if all predicates are true, or if there are no predicates.
    case and([FetchPredicate])
    /// True if at least one predicate is true. False if there are no predicates.
    case or([FetchPredicate])
    case not(FetchPredicate)
}
