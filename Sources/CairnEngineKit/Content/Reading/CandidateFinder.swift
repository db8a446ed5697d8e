import CairnModel

/// Finds the keys of the rows that may match a predicate, if an index can tell.
struct CandidateFinder {
    private let table: StoreTable
    private let store: StoreNumber
    private let root: EntityNumber

    init(_ resolver: TableResolver, root: EntityNumber) {
        table = resolver.table
        store = resolver.store
        self.root = root
    }

    /// Returns the keys in ascending order, or `nil` if any row may match. The predicate still has
    /// to be tested on the rows.
    ///
    /// - Parameter joins: known results of comparisons that follow relationships.
    func keys(
        for predicate: BoundPredicate, _ joins: SemiJoins = SemiJoins()
    ) -> [Int64]? {
        var best: [Int64]?
        for case .comparison(let comparison) in predicate.conjuncts {
            guard
                let keys = joins[comparison].map(keys(for:)) ?? self.keys(for: comparison)
            else { continue }
            if keys.count < best?.count ?? .max { best = keys }
            // Using another index would hardly save more than it costs.
            if keys.count <= 16 { break }
        }
        return best.map { $0.sorted() }
    }

    /// Returns the keys of the rows for which a comparison through a relationship is true, if they
    /// are few.
    private func keys(for join: SemiJoin) -> [Int64]? {
        guard join.isSelective else { return nil }
        switch join.subject {
        case .row: return join.keys.keys
        case .destination(let relationship): return sources(of: relationship, join.keys.keys)
        }
    }

    /// Returns whether an index can tell which rows may match, without looking at other rows.
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

    /// Returns the number of matching rows of all entities of the hierarchy, if an index can tell
    /// without looking at rows. That is possible if an integer attribute is compared for equality
    /// with one number, or is between two numbers.
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
            // Each row has one code, so a key can occur twice only if ranges overlap.
            if codes.count == 1 { return table.keys(withCodes: codes[0], inIndex: index) }
            return Array(Set(codes.flatMap { table.keys(withCodes: $0, inIndex: index) }))
        }
    }

    /// Returns the keys of the rows whose to-one relationship leads to one of the objects with
    /// these keys. Each key occurs once.
    private func sources(of relationship: Relationship, _ owners: [Int64]) -> [Int64]? {
        guard let inverse = relationship.inverse,
            case .members(let index, _)? = table.schema.memberIndexes(of: inverse)
        else { return nil }
        return owners.flatMap { table.keys(withCodes: $0...$0, inIndex: index) }
    }

    /// Returns the ranges of codes that contain every match, or `nil` if codes cannot tell.
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
