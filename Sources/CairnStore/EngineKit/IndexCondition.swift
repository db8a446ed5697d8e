import CairnModel

/// A comparison of something that a row itself holds with constants: what an engine's index can answer.
package struct IndexCondition {
    /// What is compared.
    package enum Subject {
        /// The object itself.
        case object
        /// The object at the end of one relationship.
        case destination(Relationship)
        case attribute(Attribute)
    }

    /// The values for which the comparison holds. Only ``oneOf(_:)`` can have a `nil` value: by an order,
    /// nothing compares with `nil`.
    package enum Test {
        case oneOf([Value])
        case beginsWith(Value)
        case between(Value, Value)
        case below(Value, isInclusive: Bool)
        case above(Value, isInclusive: Bool)

        /// All constants of the test.
        package var values: [Value] {
            switch self {
            case .oneOf(let values): values
            case .beginsWith(let value), .below(let value, _), .above(let value, _): [value]
            case .between(let low, let high): [low, high]
            }
        }
    }

    package let subject: Subject
    package let test: Test

    /// Returns `nil` for a comparison that an index cannot answer: one with options or a modifier, one of
    /// which both sides depend on the object, and one that follows several relationships.
    package init?(_ comparison: BoundComparison) {
        guard comparison.modifier == .direct, comparison.options.isEmpty,
            let (path, test) = Self.sides(of: comparison),
            path.start == .evaluatedObject, path.collectionOperator == nil
        else { return nil }
        switch path.leaf {
        case .attribute(let attribute) where path.relationships.isEmpty:
            subject = .attribute(attribute)
        case .object where path.relationships.isEmpty: subject = .object
        case .object where path.relationships.count == 1:
            subject = .destination(path.relationships[0])
        default: return nil
        }
        self.test = test
    }

    /// Returns the keys of the objects that are equal to one of the values, each once and ascending.
    ///
    /// Returns `nil` if the test is another one, or if a value is no object: what is `nil` has no key.
    ///
    /// - Parameters:
    ///   - store: keys of objects of other stores are left out.
    ///   - root: and so are those of other root entities.
    package func keys(in store: StoreNumber, below root: EntityNumber) -> [Int64]? {
        guard case .oneOf(let values) = test else { return nil }
        var keys: Set<Int64> = []
        for value in values {
            guard case .objectID(let id) = value else { return nil }
            if id.store == store, id.rootEntity == root, id.key > 0 { keys.insert(id.key) }
        }
        return keys.sorted()
    }

    /// The path that is compared, and the test of its value. A constant on the left changes sides.
    private static func sides(of comparison: BoundComparison) -> (BoundPath, Test)? {
        switch (comparison.left, comparison.right) {
        case (.path(let path), .constant(let value)):
            return test(comparison.operator, value).map { (path, $0) }
        case (.constant(let value), .path(let path)):
            return comparison.operator.reversed.flatMap { test($0, value) }.map { (path, $0) }
        case (.path(let path), .list(let items)):
            var values: [Value] = []
            for item in items {
                guard case .constant(let value) = item else { return nil }
                values.append(value)
            }
            return test(comparison.operator, values).map { (path, $0) }
        default: return nil
        }
    }

    private static func test(
        _ comparison: PredicateComparison.Operator, _ value: Value
    ) -> Test? {
        if comparison == .equal { return .oneOf([value]) }
        if value.isNull { return nil }
        return switch comparison {
        case .beginsWith: .beginsWith(value)
        case .lessThan: .below(value, isInclusive: false)
        case .lessThanOrEqual: .below(value, isInclusive: true)
        case .greaterThan: .above(value, isInclusive: false)
        case .greaterThanOrEqual: .above(value, isInclusive: true)
        default: nil
        }
    }

    private static func test(
        _ comparison: PredicateComparison.Operator, _ values: [Value]
    ) -> Test? {
        switch comparison {
        case .in: return .oneOf(values)
        case .between:
            guard values.count == 2, !values[0].isNull, !values[1].isNull else { return nil }
            return .between(values[0], values[1])
        default: return nil
        }
    }
}
