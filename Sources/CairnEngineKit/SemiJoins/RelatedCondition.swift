import CairnModel

/// A comparison through a relationship, seen from the other end: the condition that the related
/// objects must fulfil.
///
/// `author.name == "x"` becomes the condition `name == "x"` on authors, and `ANY tags.label == "x"`
/// becomes `label == "x"` on tags. If the path is longer, the rest of it is part of the condition.
struct RelatedCondition {
    /// How the objects that fulfil the condition decide about an object that leads to them.
    enum Requirement {
        /// The to-one relationship leads to one of them.
        case destination
        /// At least one member is one of them.
        case someMember
        /// The number of members that are among them passes the test.
        case memberCount(ValueTest)
    }

    let relationship: Relationship
    let requirement: Requirement
    /// The condition on the objects at the other end. Its paths start at these objects. If `nil`,
    /// every object fulfils it.
    let condition: BoundPredicate?
    /// Whether the comparison is true if the requirement is not met.
    ///
    /// The value is chosen such that an object whose to-one relationship leads nowhere, or that has
    /// no members, does not meet the requirement. Therefore nothing has to be known about
    /// destinations that do not exist.
    let isNegated: Bool

    /// Returns `nil` if the comparison has another form and must be tested object by object.
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
            // The row itself contains the destination's ID, so no join is needed.
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
            // `count` counts only values that are not `nil`.
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

    /// A comparison through a to-one relationship is tested on the destination.
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

    /// `ANY`, `ALL` and `NONE` ask whether there is a member that fulfils, or does not fulfil, the
    /// rest of the comparison.
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

/// A comparison through a reference, seen from the other end: the condition that the object must
/// fulfil to which the reference leads.
package struct ReferenceCondition {
    package let reference: Attribute
    /// The condition on the object. Its paths start at the object.
    package let condition: BoundPredicate
    /// The path to the reference's key.
    private let key: BoundPath
    /// See ``RelatedCondition/isNegated``.
    private let isNegated: Bool

    /// Returns `nil` if the comparison has another form and must be tested object by object.
    package init?(_ comparison: BoundComparison) {
        guard let comparison = comparison.withPathOnTheLeft, comparison.right.isConstant,
            case .path(var path) = comparison.left,
            case .referenced(let reference, var rest) = path.leaf,
            !path.relationships.contains(where: \.isToMany)
        else { return nil }
        rest.collectionOperator = path.collectionOperator
        var condition = comparison
        condition.left = .path(rest)
        guard let holdsForNothing = comparison.holds(for: condition.left.valuesOfNothing) else {
            return nil
        }
        self.reference = reference
        self.condition =
            holdsForNothing ? .not(.comparison(condition)) : .comparison(condition)
        isNegated = holdsForNothing
        (path.leaf, path.collectionOperator) = (.attribute(reference), nil)
        key = path
    }

    /// Returns the comparison as a condition on the key.
    ///
    /// - Parameter keys: the keys of all objects that fulfil ``condition``.
    package func predicate(among keys: [Value]) -> BoundPredicate {
        if keys.isEmpty { return .constant(isNegated) }
        let isAmong = BoundPredicate.comparison(
            BoundComparison(.path(key), .in, .list(keys.map(BoundExpression.constant))))
        return isNegated ? .not(isAmong) : isAmong
    }
}

extension BoundComparison {
    /// The same comparison with the path on the left, if binding put it on the right.
    fileprivate var withPathOnTheLeft: BoundComparison? {
        guard case .constant = left else { return self }
        guard modifier == .direct, case .path(let path) = right else { return nil }
        if path.isCollection {
            // A value is in a collection if one of the elements is equal to it.
            guard `operator` == .in else { return nil }
            return BoundComparison(right, .equal, left, modifier: .any, options: options)
        }
        return `operator`.reversed.map { BoundComparison(right, $0, left, options: options) }
    }

    /// The test for the comparison's right side, or `nil` if the right side is not constant.
    fileprivate var test: ValueTest? {
        switch right {
        case .constant(let value): return try? ValueTest(`operator`, options, right: value)
        case .list(let items):
            return items.constants.map { ValueTest(`operator`, options, list: $0) }
        default: return nil
        }
    }

    /// Returns whether the comparison is true for these values of its left side, or `nil` if that
    /// is unknown.
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

    /// The values of the expression if the object that it starts from does not exist.
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
