import CairnModel

extension BoundPredicate {
    /// Returns the predicate of a subquery as a predicate on the member itself, with its variable
    /// replaced by the evaluated object. Returns `nil` if the predicate refers to anything outside
    /// of the subquery.
    func startingAt(variable: Int) -> BoundPredicate? {
        substituting(variable, bound: [])
    }

    fileprivate func substituting(_ variable: Int, bound: Set<Int>) -> BoundPredicate? {
        switch self {
        case .constant: return self
        case .not(let part): return part.substituting(variable, bound: bound).map(Self.not)
        case .and(let parts): return parts.substituting(variable, bound: bound).map(Self.and)
        case .or(let parts): return parts.substituting(variable, bound: bound).map(Self.or)
        case .comparison(var comparison):
            guard let left = comparison.left.substituting(variable, bound: bound),
                let right = comparison.right.substituting(variable, bound: bound)
            else { return nil }
            (comparison.left, comparison.right) = (left, right)
            return .comparison(comparison)
        }
    }
}

extension BoundExpression {
    /// - Parameter bound: the variables of the subqueries that contain the expression.
    fileprivate func substituting(_ variable: Int, bound: Set<Int>) -> BoundExpression? {
        switch self {
        case .constant: return self
        case .list(let items): return items.substituting(variable, bound: bound).map(Self.list)
        case .path(let path): return path.substituting(variable, bound: bound).map(Self.path)
        case .function(let function, let arguments):
            return arguments.substituting(variable, bound: bound).map { .function(function, $0) }
        case .call(let function, let arguments):
            return arguments.substituting(variable, bound: bound).map { .call(function, $0) }
        case .subqueryCount(var subquery):
            guard let collection = subquery.collection.substituting(variable, bound: bound),
                let predicate = subquery.predicate.substituting(
                    variable, bound: bound.union([subquery.variable]))
            else { return nil }
            (subquery.collection, subquery.predicate) = (collection, predicate)
            return .subqueryCount(subquery)
        case .conditional(let condition, let then, let otherwise):
            guard let condition = condition.substituting(variable, bound: bound),
                let then = then.substituting(variable, bound: bound),
                let otherwise = otherwise.substituting(variable, bound: bound)
            else { return nil }
            return .conditional(condition, then: then, otherwise: otherwise)
        }
    }
}

extension BoundPath {
    fileprivate func substituting(_ variable: Int, bound: Set<Int>) -> BoundPath? {
        guard case .variable(let number) = start else { return nil }
        if bound.contains(number) { return self }
        guard number == variable else { return nil }
        var path = self
        path.start = .evaluatedObject
        return path
    }
}

extension [BoundPredicate] {
    fileprivate func substituting(_ variable: Int, bound: Set<Int>) -> Self? {
        let parts = compactMap { $0.substituting(variable, bound: bound) }
        return parts.count == count ? parts : nil
    }
}

extension [BoundExpression] {
    fileprivate func substituting(_ variable: Int, bound: Set<Int>) -> Self? {
        let parts = compactMap { $0.substituting(variable, bound: bound) }
        return parts.count == count ? parts : nil
    }

    /// The values of the elements, or `nil` if one of them is not a constant.
    var constants: [Value]? {
        var values: [Value] = []
        for item in self {
            guard case .constant(let value) = item else { return nil }
            values.append(value)
        }
        return values
    }
}
