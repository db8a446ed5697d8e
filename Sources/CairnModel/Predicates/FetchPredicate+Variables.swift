extension FetchPredicate {
    /// Returns the predicate with each `$NAME` replaced by its value.
    ///
    /// A variable that has no value here stays one; binding then throws `.unsetVariable`. A
    /// subquery's own variable is never replaced inside it.
    public func substituting(variables: [String: any PredicateArgument]) -> FetchPredicate {
        replacing(variables.mapValues(\.predicateExpression))
    }

    fileprivate func replacing(_ values: [String: FetchExpression]) -> FetchPredicate {
        switch self {
        case .constant: self
        case .comparison(let comparison):
            .comparison(
                PredicateComparison(
                    comparison.left.replacing(values), comparison.operator,
                    comparison.right.replacing(values), modifier: comparison.modifier,
                    options: comparison.options))
        case .and(let parts): .and(parts.map { $0.replacing(values) })
        case .or(let parts): .or(parts.map { $0.replacing(values) })
        case .not(let part): .not(part.replacing(values))
        }
    }
}

extension FetchExpression {
    fileprivate func replacing(_ values: [String: FetchExpression]) -> FetchExpression {
        switch self {
        case .constant, .keyPath, .evaluatedObject: return self
        case .variable(let name): return values[name] ?? self
        case .list(let items): return .list(items.map { $0.replacing(values) })
        case .function(let name, let arguments):
            return .function(name, arguments.map { $0.replacing(values) })
        case .keyPathOf(let base, let names):
            return .keyPathOf(base.replacing(values), names)
        case .conditional(let test, let then, let otherwise):
            return .conditional(
                test.replacing(values), then: then.replacing(values),
                otherwise: otherwise.replacing(values))
        case .subquery(let collection, let variable, let predicate):
            var inner = values
            inner[variable] = nil
            return .subquery(
                collection: collection.replacing(values), variable: variable,
                predicate: predicate.replacing(inner))
        }
    }
}
