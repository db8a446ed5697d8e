import CairnModel
import CairnStore

/// A comparison between constants and a value in the row itself, which an engine can evaluate with
/// an index.
package struct IndexCondition {
    /// The value that is compared.
    package enum Subject {
        /// The object itself.
        case object
        /// The object that a to-one relationship leads to.
        case destination(Relationship)
        case attribute(Attribute)
    }

    /// The values for which the comparison is true. Only ``oneOf(_:)`` can contain `nil`, because
    /// ordered comparisons with `nil` are never true.
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

    /// Creates a condition. Returns `nil` if an index cannot evaluate the comparison, because it
    /// has options or a modifier, because both of its sides depend on the object, or because it
    /// follows several relationships.
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

    /// Returns the keys of the objects that the test accepts, each once and in ascending order.
    ///
    /// Returns `nil` if the test is not ``Test/oneOf(_:)``, or if one of its values is not an
    /// object. `nil` is not an object, because it has no key.
    ///
    /// - Parameters:
    ///   - store: the store of the objects. Keys of objects in other stores are left out.
    ///   - root: the root entity of the objects. Keys of objects with other root entities are left
    ///     out.
    package func keys(in store: StoreNumber, below root: EntityNumber) -> [Int64]? {
        guard case .oneOf(let values) = test else { return nil }
        var keys: Set<Int64> = []
        for value in values {
            guard case .objectID(let id) = value else { return nil }
            if id.store == store, id.rootEntity == root, id.key > 0 { keys.insert(id.key) }
        }
        return keys.sorted()
    }

    /// Returns the path that is compared, and the test for its value. If the constant is on the
    /// left, the operator is reversed.
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

/// Identifies a property by its declaring entity and its name. Properties of equal models are
/// therefore equal.
package struct PropertyKey: Hashable, Sendable {
    private let entity: EntityNumber
    private let name: String

    package init(_ attribute: Attribute) {
        entity = attribute.entity.number
        name = attribute.name
    }

    package init(_ relationship: Relationship) {
        entity = relationship.entity.number
        name = relationship.name
    }
}

// MARK: In words

extension IndexCondition {
    /// The index that finds the matches, in words, without the values.
    package var access: String {
        switch subject {
        case .object: "keys: \(testText)"
        case .destination(let relationship): "links of \(relationship.indexName): \(testText)"
        case .attribute(let attribute): "index of \(attribute.indexName): \(testText)"
        }
    }

    private var testText: String {
        switch test {
        case .oneOf(let values): values.count == 1 ? "1 value" : "\(values.count) values"
        case .beginsWith: "a prefix"
        case .between, .below, .above: "a range"
        }
    }
}

extension Attribute {
    /// The entity and the name, for descriptions of indexes.
    package var indexName: String { "\(entity.name).\(name)" }
}

extension Relationship {
    /// The entity and the name, for descriptions of indexes.
    package var indexName: String { "\(entity.name).\(name)" }
}

extension UniqueProperties {
    /// Returns the values that rows need to satisfy all conditions, one list for each alternative, in the
    /// order of ``properties``. Returns `nil` if the conditions do not name one value for each property,
    /// or several for the only property. A value that is `nil` is not unique.
    package func values(namedBy conditions: [IndexCondition]) -> [[Value]]? {
        var tuples: [[Value]] = [[]]
        for property in properties {
            let named = conditions.lazy.compactMap { condition -> [Value]? in
                guard case .attribute(let attribute) = condition.subject,
                    attribute.name == property, attribute.type.hasOneForm,
                    case .oneOf(let values) = condition.test,
                    values.count == 1 || properties.count == 1
                else { return nil }
                return values.contains(where: \.isNull) ? nil : values
            }
            guard let values = named.first else { return nil }
            tuples = tuples.flatMap { tuple in values.map { tuple + [$0] } }
        }
        return tuples
    }

    /// The table of unique values, in words.
    package func access(_ valueCount: Int) -> String {
        let names = properties.joined(separator: ", ")
        return "unique values of \(entity) (\(names)): "
            + (valueCount == 1 ? "1 value" : "\(valueCount) values")
    }
}

extension AttributeType {
    /// Whether equal values always have the same bytes and the same hash.
    fileprivate var hasOneForm: Bool {
        switch self {
        case .integer16, .integer32, .integer64, .boolean, .string, .date, .uuid, .uri: true
        default: false
        }
    }
}

extension BoundSort {
    /// The attribute of the fetched object itself that is sorted by in the order of its values. `nil` for
    /// any other sort.
    package var ownAttribute: Attribute? {
        guard path.start == .evaluatedObject, path.relationships.isEmpty,
            path.collectionOperator == nil, case .attribute(let attribute) = path.leaf,
            attribute.type != .string || textOrder == .scalars
        else { return nil }
        return attribute
    }
}

/// Collects what the fetches within a fetch have read, for its report.
package final class InnerFetches {
    private var cursors: [any RowCursor] = []

    package init() {}

    /// Adds a cursor of an explained plan. It may be read later.
    package func add(_ cursor: any RowCursor) { cursors.append(cursor) }

    /// Adds what the cursors have done until now to the report of the outer fetch.
    package func complete(_ report: inout FetchReport) {
        for inner in cursors.compactMap(\.report) {
            report.rowsRead += inner.rowsRead
            report.access += inner.access.map { "for related objects: \($0)" }
        }
    }
}
