import CairnModel

extension PredicateComparison.Operator {
    /// The operator that says the same with both sides exchanged. `nil` for an operator such as `.in`, whose
    /// sides cannot be exchanged.
    var reversed: Self? {
        switch self {
        case .equal, .notEqual: self
        case .lessThan: .greaterThan
        case .lessThanOrEqual: .greaterThanOrEqual
        case .greaterThan: .lessThan
        case .greaterThanOrEqual: .lessThanOrEqual
        default: nil
        }
    }
}
