extension BoundPredicate {
    /// All paths in the predicate, including those in subqueries. Evaluating the predicate follows them.
    package var paths: [BoundPath] {
        switch self {
        case .constant: []
        case .comparison(let comparison): comparison.left.paths + comparison.right.paths
        case .and(let parts), .or(let parts): parts.flatMap(\.paths)
        case .not(let part): part.paths
        }
    }

    /// The parts that must all hold, including those of nested conjunctions. Contains only the predicate
    /// itself if it is not a conjunction.
    package var conjuncts: [BoundPredicate] {
        if case .and(let parts) = self { parts.flatMap(\.conjuncts) } else { [self] }
    }
}

extension BoundExpression {
    /// All paths in the expression, including those in subqueries.
    package var paths: [BoundPath] {
        switch self {
        case .constant: []
        case .path(let path): [path]
        case .list(let items), .function(_, let items): items.flatMap(\.paths)
        case .subqueryCount(let subquery): subquery.paths
        case .conditional(let test, let then, let otherwise):
            test.paths + then.paths + otherwise.paths
        }
    }
}

extension BoundSubquery {
    /// The collection and the paths in the predicate. Paths that begin at a member are extended so that they
    /// begin where the collection begins.
    fileprivate var paths: [BoundPath] {
        var collection = collection
        let inner = predicate.paths.map { path in
            guard path.start == .variable(variable) else { return path }
            return BoundPath(
                start: collection.start,
                relationships: collection.relationships + path.relationships, leaf: path.leaf,
                collectionOperator: path.collectionOperator)
        }
        collection.collectionOperator = nil
        return inner + [collection]
    }
}
