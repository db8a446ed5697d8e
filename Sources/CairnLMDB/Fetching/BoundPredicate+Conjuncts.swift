import CairnModel

extension BoundPredicate {
    /// The parts that must all hold.
    var conjuncts: [BoundPredicate] {
        if case .and(let parts) = self { parts.flatMap(\.conjuncts) } else { [self] }
    }

    /// Whether testing a row means reading others.
    var followsRelationships: Bool {
        switch self {
        case .constant: false
        case .not(let part): part.followsRelationships
        case .and(let parts), .or(let parts): parts.contains(where: \.followsRelationships)
        case .comparison(let comparison):
            comparison.left.followsRelationships || comparison.right.followsRelationships
        }
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
            // A row holds its to-ones' destinations itself.
            !(path.relationships.isEmpty
                || path.relationships.count == 1 && path.leaf == .object && !path.isToMany)
        }
    }
}
