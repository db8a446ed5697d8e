import CairnModel
import CairnStore

/// Finds the keys of the rows that a predicate can match, where an index tells them.
struct CandidateFinder {
    private let table: StoreTable
    private let store: StoreNumber
    private let root: EntityNumber

    init(_ resolver: TableResolver, root: EntityNumber) {
        table = resolver.table
        store = resolver.store
        self.root = root
    }

    /// The keys, ascending; nil: any row may match. The predicate has to be tested all the same.
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
        guard hasIndex(for: predicate), case .comparison(let comparison) = predicate,
            case .path(let path) = comparison.left, case .attribute(let attribute) = path.leaf,
            let index = table.schema.index(of: attribute),
            [.integer16, .integer32, .integer64].contains(attribute.type),
            [.equal, .between].contains(comparison.operator),
            let codes = codes(comparison, attribute.type)
        else { return nil }
        return codes.reduce(0) { $0 + table.count(ofCodes: $1, inIndex: index) }
    }

    private func keys(for comparison: BoundComparison) -> [Int64]? {
        guard comparison.modifier == .direct, case .path(let path) = comparison.left,
            path.start == .evaluatedObject, path.collectionOperator == nil
        else { return nil }
        switch (path.leaf, path.relationships.count) {
        case (.object, 0):
            return objects(comparison, root: root).map { Array(Set($0)) }
        case (.object, 1):
            return sources(of: path.relationships[0], comparison)
        case (.attribute(let attribute), 0):
            guard let index = table.schema.index(of: attribute) else { return nil }
            guard let codes = codes(comparison, attribute.type) else { return nil }
            // A row has one code: only ranges that overlap have it twice.
            if codes.count == 1 { return table.keys(withCodes: codes[0], inIndex: index) }
            return Array(Set(codes.flatMap { table.keys(withCodes: $0, inIndex: index) }))
        default: return nil
        }
    }

    /// The keys of the objects that the left side must be one of.
    private func objects(_ comparison: BoundComparison, root: EntityNumber) -> [Int64]? {
        guard let values = constants(comparison) else { return nil }
        var keys: [Int64] = []
        for value in values {
            guard case .objectID(let id) = value else { return nil }
            if id.store == store, id.rootEntity == root { keys.append(id.key) }
        }
        return keys
    }

    /// The rows whose to-one leads to one of the comparison's objects.
    private func sources(
        of relationship: Relationship, _ comparison: BoundComparison
    ) -> [Int64]? {
        objects(comparison, root: relationship.destination.rootEntity.number)
            .flatMap { sources(of: relationship, Array(Set($0))) }
    }

    /// The rows whose to-one leads to one of the objects with these keys; each key is given once.
    private func sources(of relationship: Relationship, _ owners: [Int64]) -> [Int64]? {
        guard let inverse = relationship.inverse,
            case .members(let index, _)? = table.schema.place(of: inverse)
        else { return nil }
        return owners.flatMap { table.keys(withCodes: $0...$0, inIndex: index) }
    }

    /// The ranges of codes that hold every match; nil where codes say nothing.
    private func codes(
        _ comparison: BoundComparison, _ type: AttributeType
    ) -> [ClosedRange<Int64>]? {
        guard comparison.options.isEmpty else { return nil }
        if let values = constants(comparison) {
            let codes = values.map { IndexCode.code(of: $0, among: type) }
            return codes.contains(nil) ? nil : codes.compactMap { code in code.map { $0...$0 } }
        }
        if comparison.operator == .between, case .list(let bounds) = comparison.right,
            bounds.count == 2, let low = code(bounds[0], type), let high = code(bounds[1], type)
        {
            return low <= high ? [low...high] : []
        }
        guard case .constant(let value) = comparison.right,
            let code = IndexCode.code(of: value, among: type)
        else { return nil }
        switch (comparison.operator, value) {
        case (.lessThan, _), (.lessThanOrEqual, _): return [Int64.min...code]
        case (.greaterThan, _), (.greaterThanOrEqual, _): return [code...Int64.max]
        case (.beginsWith, .string(let text)): return [IndexCode.codes(beginningWith: text)]
        default: return nil
        }
    }

    private func code(_ expression: BoundExpression, _ type: AttributeType) -> Int64? {
        if case .constant(let value) = expression {
            IndexCode.code(of: value, among: type)
        } else {
            nil
        }
    }

    /// The values of which the left side must be one; nil where they are not all constant.
    private func constants(_ comparison: BoundComparison) -> [Value]? {
        switch (comparison.operator, comparison.right) {
        case (.equal, .constant(let value)): return [value]
        case (.in, .list(let items)):
            var values: [Value] = []
            for item in items {
                guard case .constant(let value) = item else { return nil }
                values.append(value)
            }
            return values
        default: return nil
        }
    }
}
