import CairnModel

extension PredicateComparison.Operator {
    /// The operator that gives the same result if both sides are exchanged, or `nil` if the sides
    /// cannot be exchanged, as with `.in`.
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
