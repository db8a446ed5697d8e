import CairnModel

/// A comparison through a relationship, turned around: what the objects at the other end must meet.
///
/// `author.name == "x"` is the condition `name == "x"` on authors; `ANY tags.label == "x"` is
/// `label == "x"` on tags. What remains of a longer path is in the condition.
struct RelatedCondition {
    /// How the objects that meet the condition decide about an object that leads to them.
    enum Requirement {
        /// The to-one leads to one of them.
        case destination
        /// One of the members is one of them.
        case someMember
        /// The number of members that are among them compares so.
        case memberCount(ValueTest)
    }

    let relationship: Relationship
    let requirement: Requirement
    /// Paths in it start at the object at the other end. `nil` if every object meets it.
    let condition: BoundPredicate?
    /// Whether the comparison holds if the requirement is not met.
    ///
    /// Chosen such that an object whose to-one leads nowhere, or that has no members, does not meet
    /// the requirement. So nothing has to be known about destinations that do not exist.
    let isNegated: Bool

    /// Returns `nil` for a comparison of another form, which has to be tested object by object.
    init?(_ comparison: BoundComparison) {
        guard let comparison = comparison.withPathOnTheLeft, comparison.right.isConstant else {
            return nil
        }
        switch comparison.left {
        case .path(let path): self.init(path, comparison)
        case .subqueryCount(let subquery): self.init(subquery, comparison)
        default: return nil
        }
    }

    private init?(_ path: BoundPath, _ comparison: BoundComparison) {
        guard path.start == .evaluatedObject, let step = path.relationships.first else {
            return nil
        }
        var rest = path
        rest.relationships.removeFirst()
        if !step.isToMany {
            // The row itself says where a to-one leads.
            guard path.relationships.count > 1 || path.leaf != .object else { return nil }
            self.init(destinationOf: step, comparison, .path(rest))
        } else if path.collectionOperator == nil {
            guard comparison.modifier != .direct else { return nil }
            self.init(membersOf: step, comparison, rest)
        } else {
            guard path.collectionOperator == .count, rest.relationships.isEmpty,
                comparison.modifier == .direct, let test = comparison.test
            else { return nil }
            rest.collectionOperator = nil
            // Only values that are not nil count.
            let isThere = BoundComparison(.path(rest), .notEqual, .constant(.null))
            self.init(
                countOf: step, rest.leaf == .object ? nil : .comparison(isThere), test)
        }
    }

    private init?(_ subquery: BoundSubquery, _ comparison: BoundComparison) {
        let path = subquery.collection
        guard path.start == .evaluatedObject, path.leaf == .object, path.collectionOperator == nil,
            comparison.modifier == .direct, let step = path.relationships.first,
            let condition = subquery.predicate.startingAt(variable: subquery.variable)
        else { return nil }
        if !step.isToMany {
            var rest = subquery
            rest.collection.relationships.removeFirst()
            self.init(destinationOf: step, comparison, .subqueryCount(rest))
        } else {
            guard path.relationships.count == 1, let test = comparison.test else { return nil }
            self.init(countOf: step, condition, test)
        }
    }

    /// Through a to-one: the comparison itself, made by the destination.
    private init?(
        destinationOf step: Relationship, _ comparison: BoundComparison, _ rest: BoundExpression
    ) {
        guard let holdsForNothing = comparison.holds(for: rest.valuesOfNothing) else { return nil }
        var condition = comparison
        condition.left = rest
        relationship = step
        requirement = .destination
        self.condition =
            holdsForNothing ? .not(.comparison(condition)) : .comparison(condition)
        isNegated = holdsForNothing
    }

    /// `ANY`, `ALL` and `NONE`: whether there is a member for which the rest holds, or does not.
    private init?(
        membersOf step: Relationship, _ comparison: BoundComparison, _ rest: BoundPath
    ) {
        var condition = comparison
        condition.left = .path(rest)
        switch comparison.modifier {
        case .direct: return nil
        case .any, .none: condition.modifier = rest.isToMany ? .any : .direct
        case .all: condition.modifier = rest.isToMany ? .all : .direct
        }
        relationship = step
        requirement = .someMember
        self.condition =
            comparison.modifier == .all ? .not(.comparison(condition)) : .comparison(condition)
        isNegated = comparison.modifier != .any
    }

    private init(countOf step: Relationship, _ condition: BoundPredicate?, _ test: ValueTest) {
        relationship = step
        self.condition = condition
        isNegated = test.holds(forCount: 0)
        requirement = .memberCount(test)
    }
}

extension BoundComparison {
    /// The same comparison with its path on the left, where binding put it on the right.
    fileprivate var withPathOnTheLeft: BoundComparison? {
        guard case .constant = left else { return self }
        guard modifier == .direct, case .path(let path) = right else { return nil }
        if path.isCollection {
            // A value is in a collection if one of the elements equals it.
            guard `operator` == .in else { return nil }
            return BoundComparison(right, .equal, left, modifier: .any, options: options)
        }
        return `operator`.reversed.map { BoundComparison(right, $0, left, options: options) }
    }

    /// The comparison's right side, ready to be asked; `nil` if it is not constant.
    fileprivate var test: ValueTest? {
        switch right {
        case .constant(let value): return try? ValueTest(`operator`, options, right: value)
        case .list(let items):
            return items.constants.map { ValueTest(`operator`, options, list: $0) }
        default: return nil
        }
    }

    /// Whether the comparison holds for these values of its left side; `nil` if that is unknown.
    fileprivate func holds(for values: [Value]) -> Bool? {
        test.flatMap { try? modifier.holds(values, $0) }
    }
}

extension BoundExpression {
    fileprivate var isConstant: Bool {
        switch self {
        case .constant: true
        case .list(let items): items.constants != nil
        default: false
        }
    }

    /// What the expression gives if the object that it starts from does not exist.
    fileprivate var valuesOfNothing: [Value] {
        switch self {
        case .path(let path):
            let values: [Value] = path.isToMany ? [] : [.null]
            return path.collectionOperator.map { [$0.result(of: values)] } ?? values
        case .subqueryCount: return [.integer(0)]
        default: return [.null]
        }
    }
}
