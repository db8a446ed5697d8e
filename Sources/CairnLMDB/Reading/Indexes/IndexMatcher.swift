import CairnModel
import CairnStore

/// Finds what a conjunct means in terms of keys, indexes and links.
struct IndexMatcher {
    /// A way to the rows for which a conjunct may hold.
    struct Match {
        var path: AccessPlan.Path
        /// Whether the conjunct holds for all of them.
        var isExact: Bool
        /// Fewer rows are expected of a lower one.
        var rank: Int
    }

    private let root: EntityNumber
    private let tables: StoreTables
    private let store: StoreNumber
    private let joins: SemiJoins
    private let countsLinks: Bool

    /// - Parameters:
    ///   - joins: the answers to comparisons through relationships.
    ///   - countsLinks: whether links are counted, and no row is read for them.
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

    /// Returns the way for a conjunct. Returns `nil` if there is none but to look at every row.
    func match(_ conjunct: BoundPredicate) -> Match? {
        guard case .comparison(let comparison) = conjunct else { return nil }
        if let join = joins[comparison] { return match(join) }
        guard comparison.modifier == .direct, comparison.options.isEmpty,
            let (path, word, values) = operands(of: comparison),
            path.start == .evaluatedObject, path.collectionOperator == nil
        else { return nil }
        switch path.leaf {
        case .attribute(let attribute) where path.relationships.isEmpty:
            return match(attribute, word, values)
        case .object where path.relationships.isEmpty:
            return keys(of: values, word, root: root).map {
                Match(path: .keys($0), isExact: true, rank: 0)
            }
        case .object where path.relationships.count == 1:
            let relationship = path.relationships[0]
            guard let table = tables.links(of: relationship) else { return nil }
            return keys(of: values, word, root: relationship.destination.rootEntity.number).map {
                Match(path: .links(table, $0), isExact: true, rank: $0.count <= 1 ? 1 : 2)
            }
        default: return nil
        }
    }

    /// The way to the rows that a semi-join names, if they are few, or if only links are counted.
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

    // MARK: Operands

    private typealias Operands = (BoundPath, PredicateComparison.Operator, [Value])

    /// The path, what it is compared by, and the constants; turned around where the path is right.
    private func operands(of comparison: BoundComparison) -> Operands? {
        switch (comparison.left, comparison.right) {
        case (.path(let path), .constant(let value)):
            return (path, comparison.operator, [value])
        case (.constant(let value), .path(let path)):
            return comparison.operator.reversed.map { (path, $0, [value]) }
        case (.path(let path), .list(let items)):
            var values: [Value] = []
            for item in items {
                guard case .constant(let value) = item else { return nil }
                values.append(value)
            }
            return (path, comparison.operator, values)
        default: return nil
        }
    }

    /// The keys of the objects that are equal to one of the values.
    private func keys(
        of values: [Value], _ word: PredicateComparison.Operator, root: EntityNumber
    ) -> [Int64]? {
        guard word == .equal || word == .in else { return nil }
        var keys: Set<Int64> = []
        for value in values {
            // What is nil has no key.
            guard case .objectID(let id) = value else { return nil }
            if id.store == store, id.rootEntity == root, id.key > 0 { keys.insert(id.key) }
        }
        return keys.sorted()
    }

    // MARK: Attributes

    private func match(
        _ attribute: Attribute, _ word: PredicateComparison.Operator, _ values: [Value]
    ) -> Match? {
        guard let table = tables.index(of: attribute),
            let kind = tables.layouts.kind(of: attribute)
        else { return nil }
        var keys: [[UInt8]] = []
        for value in values {
            guard let key = IndexKey.of(value, as: kind) else { return nil }
            keys.append(key)
        }
        guard let (ranges, rank) = ranges(word, keys) else { return nil }
        // A key as long as a cut one finds other values, too.
        let isExact = keys.allSatisfy { $0.count < IndexKey.byteCountLimit }
        return Match(
            path: .index(table, isExact ? ranges : ranges.map(\.cut)), isExact: isExact, rank: rank)
    }

    /// What comes before every value that is not nil.
    private static let firstValue = [IndexKey.valueMark]

    private func ranges(
        _ word: PredicateComparison.Operator, _ keys: [[UInt8]]
    ) -> ([KeyRange], rank: Int)? {
        if word == .in { return (Set(keys).map(KeyRange.init(only:)), keys.count <= 1 ? 1 : 2) }
        guard let key = keys.first else { return nil }
        if word == .equal { return ([KeyRange(only: key)], 1) }
        // By an order, nothing compares with nil.
        guard !keys.contains(IndexKey.null) else { return nil }
        switch word {
        case .beginsWith:
            return ([KeyRange(from: key, to: KeyRange.afterAll(beginningWith: key))], 3)
        case .between where keys.count == 2:
            return ([KeyRange(from: key, to: KeyRange.next(keys[1]))], 4)
        case .lessThan: return ([KeyRange(from: Self.firstValue, to: key)], 5)
        case .lessThanOrEqual:
            return ([KeyRange(from: Self.firstValue, to: KeyRange.next(key))], 5)
        case .greaterThan: return ([KeyRange(from: KeyRange.next(key), to: nil)], 5)
        case .greaterThanOrEqual: return ([KeyRange(from: key, to: nil)], 5)
        default: return nil
        }
    }
}

extension KeyRange {
    /// The range of cut keys that holds those of all values in this range.
    fileprivate var cut: KeyRange {
        let limit = IndexKey.byteCountLimit
        return KeyRange(
            from: Array(lower.prefix(limit)),
            to: upper.map { $0.count < limit ? $0 : KeyRange.next(Array($0.prefix(limit))) })
    }
}

extension PredicateComparison.Operator {
    /// The operator with its sides exchanged. `nil` if there is none.
    fileprivate var reversed: Self? {
        switch self {
        case .equal: .equal
        case .lessThan: .greaterThan
        case .lessThanOrEqual: .greaterThanOrEqual
        case .greaterThan: .lessThan
        case .greaterThanOrEqual: .lessThanOrEqual
        default: nil
        }
    }
}
