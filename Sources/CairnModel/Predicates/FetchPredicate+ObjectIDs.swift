extension FetchPredicate {
    /// Whether the predicate contains a temporary object ID, which a save replaces.
    ///
    /// Parts that are nested deeper than ``depthLimit`` are ignored, because binding refuses such a
    /// predicate.
    package var hasTemporaryIDs: Bool { hasTemporaryIDs(within: Self.depthLimit + 1) }

    fileprivate func hasTemporaryIDs(within room: Int) -> Bool {
        guard room > 0 else { return false }
        return switch self {
        case .constant: false
        case .comparison(let comparison):
            comparison.left.hasTemporaryIDs(within: room - 1)
                || comparison.right.hasTemporaryIDs(within: room - 1)
        case .and(let parts), .or(let parts):
            parts.contains { $0.hasTemporaryIDs(within: room - 1) }
        case .not(let part): part.hasTemporaryIDs(within: room - 1)
        }
    }
}

extension FetchExpression {
    fileprivate func hasTemporaryIDs(within room: Int) -> Bool {
        guard room > 0 else { return false }
        let room = room - 1
        return switch self {
        case .constant(.objectID(let id)): id.isTemporary
        case .constant, .keyPath, .evaluatedObject, .variable: false
        case .list(let items), .function(_, let items):
            items.contains { $0.hasTemporaryIDs(within: room) }
        case .keyPathOf(let base, _): base.hasTemporaryIDs(within: room)
        case .conditional(let test, let then, let otherwise):
            test.hasTemporaryIDs(within: room) || then.hasTemporaryIDs(within: room)
                || otherwise.hasTemporaryIDs(within: room)
        case .subquery(let collection, _, let predicate):
            collection.hasTemporaryIDs(within: room) || predicate.hasTemporaryIDs(within: room)
        }
    }
}
