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
        /// The indexes of the path, in words. Empty unless the plan is explained.
        var access: String
    }

    private let entity: Entity
    private let tables: StoreTables
    private let store: StoreNumber
    private let joins: SemiJoins
    private let countsLinks: Bool
    private let explains: Bool

    /// - Parameters:
    ///   - joins: The results for comparisons that follow relationships.
    ///   - countsLinks: Whether links are only counted, so that no rows are read for them.
    ///   - explains: Whether to say the indexes in words.
    init(
        _ entity: Entity, tables: StoreTables, store: StoreNumber, joins: SemiJoins,
        countsLinks: Bool = false, explains: Bool = false
    ) {
        self.explains = explains
        self.entity = entity
        self.tables = tables
        self.store = store
        self.joins = joins
        self.countsLinks = countsLinks
    }

    /// Returns the path for a conjunct, or `nil` if every row must be tested.
    func match(_ conjunct: BoundPredicate) -> Match? {
        switch conjunct {
        case .comparison(let comparison):
            if let join = joins[comparison] { return match(join) }
            return IndexCondition(comparison).flatMap(match)
        case .or(let parts): return match(any: parts)
        case .constant, .not, .and: return nil
        }
    }

    /// Returns the path to the rows for which one of several predicates may be true.
    private func match(any parts: [BoundPredicate]) -> Match? {
        var paths: [AccessPlan.Path] = []
        var access: [String] = []
        var (isExact, rank) = (true, 2)
        for part in parts where part != .constant(false) {
            let conjuncts = part.conjuncts
            let matches = conjuncts.compactMap(match) + [matchUnique(conjuncts)].compactMap(\.self)
            guard let best = matches.min(by: { $0.rank < $1.rank }) else { return nil }
            paths.append(best.path)
            if access.last != best.access { access.append(best.access) }
            isExact = isExact && best.isExact && conjuncts.count == 1
            rank = max(rank, best.rank)
        }
        return Match(
            path: .union(paths), isExact: isExact, rank: rank,
            access: access.joined(separator: " or "))
    }

    /// Returns the path through the table of unique values, if the conjuncts name all values of a
    /// uniqueness constraint.
    func matchUnique(_ conjuncts: [BoundPredicate]) -> Match? {
        guard !tables.constraints.isEmpty else { return nil }
        let conditions = conjuncts.compactMap { conjunct -> IndexCondition? in
            guard case .comparison(let comparison) = conjunct else { return nil }
            return IndexCondition(comparison)
        }
        if conditions.isEmpty { return nil }
        for (properties, table) in tables.constraints {
            guard let slots = properties.slots(in: entity.number),
                let tuples = properties.values(namedBy: conditions)
            else { continue }
            let keys = tuples.compactMap { UniquenessWriter.key(of: $0, slots.map(\.kind)) }
            guard keys.count == tuples.count else { continue }
            return Match(
                path: .index(table, Set(keys).map(KeyRange.init(only:))), isExact: false,
                rank: keys.count <= 1 ? 0 : 2,
                access: explains ? properties.access(tuples.count) : "")
        }
        return nil
    }

    private func match(_ condition: IndexCondition) -> Match? {
        switch condition.subject {
        case .attribute(let attribute): return match(attribute, condition)
        case .object:
            return condition.keys(in: store, below: entity.rootEntity.number).map {
                Match(
                    path: .keys($0), isExact: true, rank: 0,
                    access: explains ? condition.access : "")
            }
        case .destination(let relationship):
            let destination = relationship.destination.rootEntity.number
            guard let table = tables.links(of: relationship),
                let keys = condition.keys(in: store, below: destination)
            else { return nil }
            return Match(
                path: .links(table, keys), isExact: true, rank: keys.count <= 1 ? 1 : 2,
                access: explains ? condition.access : "")
        }
    }

    /// Returns the path to the rows of a semi-join, if there are only a few, or if links are only
    /// counted.
    private func match(_ join: SemiJoin) -> Match? {
        let rank = join.keys.count <= 1 ? 1 : 2
        switch join.subject {
        case .row where join.isSelective:
            return Match(
                path: .keys(join.keys.keys), isExact: true, rank: rank,
                access: "keys of related objects")
        case .destination(let relationship)
        where join.isSelective || countsLinks && join.holdsForKeys:
            return tables.links(of: relationship).map {
                Match(
                    path: .links($0, join.keys.keys), isExact: true, rank: rank,
                    access: "links of \(relationship.indexName)")
            }
        default: return nil
        }
    }

    // MARK: Attributes

    private func match(_ attribute: Attribute, _ condition: IndexCondition) -> Match? {
        let test = condition.test
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
            path: .index(table, isExact ? ranges : ranges.map(\.cut)), isExact: isExact, rank: rank,
            access: explains ? condition.access : "")
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
