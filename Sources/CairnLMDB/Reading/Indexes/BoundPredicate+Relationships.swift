import CairnEngineKit
import CairnModel

extension BoundPredicate {
    /// Returns whether testing a row requires reading other rows.
    ///
    /// - Parameter joins: The known results for some of the comparisons.
    func followsRelationships(besides joins: SemiJoins) -> Bool {
        switch self {
        case .constant: false
        case .not(let part): part.followsRelationships(besides: joins)
        case .and(let parts), .or(let parts):
            parts.contains { $0.followsRelationships(besides: joins) }
        case .comparison(let comparison):
            joins[comparison] == nil && comparison.followsRelationships
        }
    }

    fileprivate var followsRelationships: Bool { followsRelationships(besides: SemiJoins()) }
}

extension BoundComparison {
    fileprivate var followsRelationships: Bool {
        left.followsRelationships || right.followsRelationships
    }
}

extension BoundExpression {
    fileprivate var followsRelationships: Bool {
        switch self {
        case .constant: false
        case .list(let items): items.contains(where: \.followsRelationships)
        case .function(_, let arguments): arguments.contains(where: \.followsRelationships)
        case .subqueryCount: true
        case .conditional(let condition, let then, let otherwise):
            condition.followsRelationships || then.followsRelationships
                || otherwise.followsRelationships
        case .path(let path):
            // A row contains the destinations of its to-one relationships.
            !(path.relationships.isEmpty
                || path.relationships.count == 1 && path.leaf == .object && !path.isToMany)
        }
    }
}
