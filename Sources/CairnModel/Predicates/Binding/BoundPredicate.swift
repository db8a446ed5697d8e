/// A predicate that was checked against an entity. Names are resolved to properties, and constants have
/// the type of what they are compared with.
///
/// Engines translate bound predicates, and the evaluator compiles them.
public indirect enum BoundPredicate: Sendable, Hashable {
    /// A predicate that is true for all objects, or false for all objects.
    case constant(Bool)
    /// A comparison of two expressions whose types fit each other.
    case comparison(BoundComparison)
    /// True if all predicates are true, or if there are no predicates.
    case and([BoundPredicate])
    /// True if at least one predicate is true. False if there are no predicates.
    case or([BoundPredicate])
    /// True if the predicate is false. Comparisons are never unknown, so this also applies to `nil` values.
    case not(BoundPredicate)
}
