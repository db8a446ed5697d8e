/// A predicate checked against an entity: names are properties, constants have the type of what
/// they are compared with. What engines translate and the evaluator compiles.
public indirect enum BoundPredicate: Sendable, Hashable {
    case constant(Bool)
    case comparison(BoundComparison)
    case and([BoundPredicate])
    case or([BoundPredicate])
    case not(BoundPredicate)
}
