import CairnEngineKit
import CairnModel

/// Finds an access path by keys, indexes or links for a conjunct.
struct IndexMatcher {
    /// A path to the rows for which a conjunct may be true.
    struct Match {
        var path: AccessPlan.Path
        /// Whether the conjunct is true for all rows of the path.
        var isExact: Bool
        /// The rank of the path. A path with a lower rank is expected to have fewer rows.
        var rank: Int
    }

    private let root: EntityNumber
    private let tables: StoreTables
    private let store: StoreNumber
    private let joins: SemiJoins
    private let countsLinks: Bool

    /// - Parameters:
    ///   - joins: The results for comparisons that follow relationships.
    ///   - countsLinks: Whether links are only counted, so that no rows are read for them.
    init(
        _ entity: Entity, tables: StoreTables, store: StoreNumber, joins: SemiJoins,
        countsLinks: Bool = false
    ) {
        root = entity.rootEntity.number
        self.tables = tables
        self.store = store
        self.joins = joins
        self.countsLinks = countsLinks
    }

    /// Returns the path for a conjunct, or `nil` if every row must be tested.
    func match(_ conjunct: BoundPredicate) -> Match? {
        guard case .comparison(let comparison) = conjunct else { return nil }
        if let join = joins[comparison] { return match(join) }
        guard let condition = IndexCondition(comparison) else { return nil }
        switch condition.subject {
        case .attribute(let attribute): return match(attribute, condition.test)
        case .object:
            return condition.keys(in: store, below: root).map {
                Match(path: .keys($0), isExact: true, rank: 0)
            }
        case .destination(let relationship):
            let destination = relationship.destination.rootEntity.number
            guard let table = tables.links(of: relationship),
                let keys = condition.keys(in: store, below: destination)
            else { return nil }
            return Match(
                path: .links(table, keys), isExact: true, rank: keys.count <= 1 ? 1 : 2)
        }
    }

    /// Returns the path to the rows of a semi-join, if there are only a few, or if links are only
    /// counted.
    private func match(_ join: SemiJoin) -> Match? {
        let rank = join.keys.count <= 1 ? 1 : 2
        switch join.subject {
        case .row where join.isSelective:
            return Match(path: .keys(join.keys.keys), isExact: true, rank: rank)
        case .destination(let relationship)
        where join.isSelective || countsLinks && join.holdsForKeys:
            return tables.links(of: relationship).map {
                Match(path: .links($0, join.keys.keys), isExact: true, rank: rank)
            }
        default: return nil
        }
    }

    // MARK: Attributes

    private func match(_ attribute: Attribute, _ test: IndexCondition.Test) -> Match? {
        guard let table = tables.index(of: attribute),
            let kind = tables.layouts.kind(of: attribute)
        else { return nil }
        var keys: [[UInt8]] = []
        for value in test.values {
            guard let key = IndexKey.of(value, as: kind) else { return nil }
            keys.append(key)
        }
        let (ranges, rank) = Self.ranges(test, keys)
        // If a key is as long as a truncated one, its entry may also belong to other values.
        let isExact = keys.allSatisfy { $0.count < IndexKey.byteCountLimit }
        return Match(
            path: .index(table, isExact ? ranges : ranges.map(\.cut)), isExact: isExact, rank: rank)
    }

    /// The start of the range of all values that are not `nil`.
    private static let firstValue = [IndexKey.valueMark]

    /// - Parameter keys: The keys of the test's values.
    private static func ranges(
        _ test: IndexCondition.Test, _ keys: [[UInt8]]
    ) -> (ranges: [KeyRange], rank: Int) {
        switch test {
        case .oneOf: (Set(keys).map(KeyRange.init(only:)), keys.count <= 1 ? 1 : 2)
        case .beginsWith:
            ([KeyRange(from: keys[0], to: KeyRange.afterAll(beginningWith: keys[0]))], 3)
        case .between: ([KeyRange(from: keys[0], to: KeyRange.next(keys[1]))], 4)
        case .below(_, let isInclusive):
            ([KeyRange(from: firstValue, to: isInclusive ? KeyRange.next(keys[0]) : keys[0])], 5)
        case .above(_, let isInclusive):
            ([KeyRange(from: isInclusive ? keys[0] : KeyRange.next(keys[0]), to: nil)], 5)
        }
    }
}

extension KeyRange {
    /// The range of truncated keys that contains the keys of all values in this range.
    fileprivate var cut: KeyRange {
        let limit = IndexKey.byteCountLimit
        return KeyRange(
            from: Array(lower.prefix(limit)),
            to: upper.map { $0.count < limit ? $0 : KeyRange.next(Array($0.prefix(limit))) })
    }
}
