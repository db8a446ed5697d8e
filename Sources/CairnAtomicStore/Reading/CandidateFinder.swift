import CairnModel
import CairnStore

/// Finds the keys of the rows that a predicate can match, if an index tells them.
struct CandidateFinder {
    private let table: StoreTable
    private let store: StoreNumber
    private let root: EntityNumber

    init(_ resolver: TableResolver, root: EntityNumber) {
        table = resolver.table
        store = resolver.store
        self.root = root
    }

    /// The keys, ascending. `nil` means that any row may match. The predicate has to be tested all the same.
    ///
    /// - Parameter joins: the answers to comparisons of the predicate through relationships.
    func keys(
        for predicate: BoundPredicate, _ joins: SemiJoins = SemiJoins()
    ) -> [Int64]? {
        var best: [Int64]?
        for case .comparison(let comparison) in predicate.conjuncts {
            guard
                let keys = joins[comparison].map(keys(for:)) ?? self.keys(for: comparison)
            else { continue }
            if keys.count < best?.count ?? .max { best = keys }
            // Further indexes could hardly save what asking them costs.
            if keys.count <= 16 { break }
        }
        return best.map { $0.sorted() }
    }

    /// The rows for which a comparison through a relationship holds, if they are few.
    private func keys(for join: SemiJoin) -> [Int64]? {
        guard join.isSelective else { return nil }
        switch join.subject {
        case .row: return join.keys.keys
        case .destination(let relationship): return sources(of: relationship, join.keys.keys)
        }
    }

    /// Whether an index tells which rows the comparison can match, without looking at others.
    func hasIndex(for predicate: BoundPredicate) -> Bool {
        guard case .comparison(let comparison) = predicate, comparison.modifier == .direct,
            comparison.options.isEmpty, case .path(let path) = comparison.left,
            path.start == .evaluatedObject, path.collectionOperator == nil
        else { return false }
        switch (path.leaf, path.relationships.count) {
        case (.object, 0): return true
        case (.attribute(let attribute), 0): return table.schema.index(of: attribute) != nil
        default: return false
        }
    }

    /// How many rows of all entities of the hierarchy match, if an index tells it without a look at a row:
    /// for an integer attribute that is equal to a number, or between two.
    func count(of predicate: BoundPredicate) -> Int? {
        guard case .comparison(let comparison) = predicate,
            let condition = IndexCondition(comparison),
            case .attribute(let attribute) = condition.subject,
            let index = table.schema.index(of: attribute),
            [.integer16, .integer32, .integer64].contains(attribute.type)
        else { return nil }
        switch condition.test {
        case .oneOf(let values) where values.count == 1: break
        case .between: break
        default: return nil
        }
        return codes(condition.test, attribute.type)?
            .reduce(0) { $0 + table.count(ofCodes: $1, inIndex: index) }
    }

    private func keys(for comparison: BoundComparison) -> [Int64]? {
        guard let condition = IndexCondition(comparison) else { return nil }
        switch condition.subject {
        case .object: return condition.keys(in: store, below: root)
        case .destination(let relationship):
            return condition.keys(in: store, below: relationship.destination.rootEntity.number)
                .flatMap { sources(of: relationship, $0) }
        case .attribute(let attribute):
            guard let index = table.schema.index(of: attribute),
                let codes = codes(condition.test, attribute.type)
            else { return nil }
            // A row has one code: only ranges that overlap have it twice.
            if codes.count == 1 { return table.keys(withCodes: codes[0], inIndex: index) }
            return Array(Set(codes.flatMap { table.keys(withCodes: $0, inIndex: index) }))
        }
    }

    /// The rows whose to-one leads to one of the objects with these keys; each key is given once.
    private func sources(of relationship: Relationship, _ owners: [Int64]) -> [Int64]? {
        guard let inverse = relationship.inverse,
            case .members(let index, _)? = table.schema.memberIndexes(of: inverse)
        else { return nil }
        return owners.flatMap { table.keys(withCodes: $0...$0, inIndex: index) }
    }

    /// The ranges of codes that hold every match. Returns `nil` if codes say nothing.
    private func codes(
        _ test: IndexCondition.Test, _ type: AttributeType
    ) -> [ClosedRange<Int64>]? {
        var codes: [Int64] = []
        for value in test.values {
            guard let code = IndexCode.code(of: value, among: type) else { return nil }
            codes.append(code)
        }
        switch test {
        case .oneOf: return codes.map { $0...$0 }
        case .between: return codes[0] <= codes[1] ? [codes[0]...codes[1]] : []
        case .below: return [Int64.min...codes[0]]
        case .above: return [codes[0]...Int64.max]
        case .beginsWith(.string(let text)): return [IndexCode.codes(beginningWith: text)]
        case .beginsWith: return nil
        }
    }
}
