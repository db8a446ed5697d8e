/// A predicate that was checked against an entity. Names are resolved to properties, and constants have
/// the type of what they are compared with.
///
/// Engines translate bound predicates, and the evaluator compiles them.
public indirect enum BoundPredicate: Sendable, Hashable {
    case constant(Bool)
    case comparison(BoundComparison)
    case and([BoundPredicate])
    case or([BoundPredicate])
    case not(BoundPredicate)
}
