extension FetchPredicate {
    /// Returns the predicate with each `$NAME` replaced by its value.
    ///
    /// A variable that has no value here stays one; binding then throws `.unsetVariable`. A
    /// subquery's own variable is never replaced inside it. Parts that are nested deeper than
    /// ``depthLimit`` stay as they are; binding refuses such a predicate.
    public func substituting(variables: [String: any PredicateArgument]) -> FetchPredicate {
        replacing(variables.mapValues(\.predicateExpression), within: Self.depthLimit + 1)
    }

    fileprivate func replacing(
        _ values: [String: FetchExpression], within room: Int
    ) -> FetchPredicate {
        guard room > 0 else { return self }
        let room = room - 1
        return switch self {
        case .constant: self
        case .comparison(let comparison):
            .comparison(
                PredicateComparison(
                    comparison.left.replacing(values, within: room), comparison.operator,
                    comparison.right.replacing(values, within: room), modifier: comparison.modifier,
                    options: comparison.options))
        case .and(let parts): .and(parts.map { $0.replacing(values, within: room) })
        case .or(let parts): .or(parts.map { $0.replacing(values, within: room) })
        case .not(let part): .not(part.replacing(values, within: room))
        }
    }
}

extension FetchExpression {
    fileprivate func replacing(
        _ values: [String: FetchExpression], within room: Int
    ) -> FetchExpression {
        guard room > 0 else { return self }
        let room = room - 1
        switch self {
        case .constant, .keyPath, .evaluatedObject: return self
        case .variable(let name): return values[name] ?? self
        case .list(let items): return .list(items.map { $0.replacing(values, within: room) })
        case .function(let name, let arguments):
            return .function(name, arguments.map { $0.replacing(values, within: room) })
        case .keyPathOf(let base, let names):
            return .keyPathOf(base.replacing(values, within: room), names)
        case .conditional(let test, let then, let otherwise):
            return .conditional(
                test.replacing(values, within: room), then: then.replacing(values, within: room),
                otherwise: otherwise.replacing(values, within: room))
        case .subquery(let collection, let variable, let predicate):
            var inner = values
            inner[variable] = nil
            return .subquery(
                collection: collection.replacing(values, within: room), variable: variable,
                predicate: predicate.replacing(inner, within: room))
        }
    }
}
