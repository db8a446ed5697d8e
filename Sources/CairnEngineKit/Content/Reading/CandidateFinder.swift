import CairnModel
import CairnStore

/// Finds the keys of the rows that may match a predicate, if an index can tell.
struct CandidateFinder {
    /// The rows that may match. The predicate still has to be tested on them.
    struct Candidates {
        var keys: [Int64]
        /// The indexes that named the rows, in words.
        var access: String
    }

    private let table: StoreTable
    private let store: StoreNumber
    private let entity: Entity

    init(_ resolver: TableResolver, _ entity: Entity) {
        table = resolver.table
        store = resolver.store
        self.entity = entity
    }

    /// Using another index than one with so few rows would hardly save more than it costs.
    private static let fewest = 16

    /// Returns the candidates, with their keys in ascending order. Returns `nil` if any row may match,
    /// or if there are more than `most` candidates.
    ///
    /// - Parameter joins: known results of comparisons that follow relationships.
    func candidates(
        for predicate: BoundPredicate, _ joins: SemiJoins = SemiJoins(), atMost most: Int = .max
    ) -> Candidates? {
        var best: Candidates?
        var limit: Int { best.map { $0.keys.count - 1 } ?? most }
        for find in searches(predicate.conjuncts, joins) {
            if let found = find(limit), found.keys.count <= limit { best = found }
            if limit < Self.fewest { break }
        }
        best?.keys.sort()
        return best
    }

    /// A way to find candidates. Takes the number of candidates above which it may give up.
    private typealias Search = (_ most: Int) -> Candidates?

    /// Returns the ways to find candidates for a conjunction, probably the best first.
    private func searches(_ conjuncts: [BoundPredicate], _ joins: SemiJoins) -> [Search] {
        var (exact, others): ([Search], [Search]) = ([], [])
        var conditions: [IndexCondition] = []
        for conjunct in conjuncts {
            switch conjunct {
            case .comparison(let comparison):
                if let join = joins[comparison] {
                    exact.append { _ in candidates(for: join) }
                } else if let condition = IndexCondition(comparison) {
                    conditions.append(condition)
                }
            case .or(let parts): others.append { candidates(forAny: parts, joins, atMost: $0) }
            case .constant, .not, .and: break
            }
        }
        for condition in conditions {
            if case .attribute = condition.subject { continue }
            exact.append { _ in candidates(forObjects: condition) }
        }
        if let unique = uniqueSearch(conditions) { exact.insert(unique, at: 0) }
        return exact + attributeSearches(conditions) + others
    }

    /// Returns the rows for which one of several predicates may be true.
    private func candidates(
        forAny parts: [BoundPredicate], _ joins: SemiJoins, atMost most: Int
    ) -> Candidates? {
        // Reading most of the rows one by one would cost more than reading all of them.
        let most = min(most, table.rows(root: entity.rootEntity.number).count / 2)
        var keys: Set<Int64> = []
        var access: [String] = []
        for part in parts where part != .constant(false) {
            guard let found = candidates(for: part, joins, atMost: most) else { return nil }
            keys.formUnion(found.keys)
            if keys.count > most { return nil }
            if access.last != found.access { access.append(found.access) }
        }
        return Candidates(keys: Array(keys), access: access.joined(separator: " or "))
    }

    /// Returns the rows for which a comparison through a relationship is true, if they are few.
    private func candidates(for join: SemiJoin) -> Candidates? {
        guard join.isSelective else { return nil }
        switch join.subject {
        case .row: return Candidates(keys: join.keys.keys, access: "keys of related objects")
        case .destination(let relationship):
            return sources(of: relationship, join.keys.keys).map {
                Candidates(keys: $0, access: "links of \(relationship.indexName)")
            }
        }
    }

    /// Returns the rows of certain objects, or the rows whose to-one relationship leads to them.
    private func candidates(forObjects condition: IndexCondition) -> Candidates? {
        let keys: [Int64]? =
            switch condition.subject {
            case .object: condition.keys(in: store, below: entity.rootEntity.number)
            case .destination(let relationship):
                condition.keys(in: store, below: relationship.destination.rootEntity.number)
                    .flatMap { sources(of: relationship, $0) }
            case .attribute: nil
            }
        return keys.map { Candidates(keys: $0, access: condition.access) }
    }

    /// Returns the keys of the rows whose to-one relationship leads to one of the objects with
    /// these keys. Each key occurs once.
    private func sources(of relationship: Relationship, _ owners: [Int64]) -> [Int64]? {
        guard let inverse = relationship.inverse,
            case .members(let index, _)? = table.schema.memberIndexes(of: inverse)
        else { return nil }
        return owners.flatMap { table.keys(withCodes: $0...$0, inIndex: index) }
    }

    // MARK: Attributes

    /// Returns a search by unique values, if the conditions name all values of a uniqueness constraint.
    private func uniqueSearch(_ conditions: [IndexCondition]) -> Search? {
        for (properties, index) in table.schema.constraints
        where properties.slots(in: entity.number) != nil {
            guard let tuples = properties.values(namedBy: conditions) else { continue }
            let codes = Set(tuples.map(EntityIndex.hash(of:)))
            return { _ in
                Candidates(
                    keys: codes.flatMap { table.keys(withCodes: $0...$0, inIndex: index) },
                    access: properties.access(tuples.count))
            }
        }
        return nil
    }

    /// Returns a search for each attribute that has an index. Ranges of one attribute are combined.
    private func attributeSearches(_ conditions: [IndexCondition]) -> [Search] {
        var searches: [(index: Int, ranges: [ValueRange], access: String)] = []
        for condition in conditions {
            guard let (index, ranges) = ranges(for: condition) else { continue }
            let other = searches.firstIndex {
                $0.index == index && $0.ranges.count == 1 && ranges.count == 1
            }
            if let other {
                searches[other].ranges = [searches[other].ranges[0].intersection(ranges[0])]
            } else {
                searches.append((index, ranges, condition.access))
            }
        }
        return searches.map { index, ranges, access in
            { most in
                var keys: [Int64] = []
                for range in ranges {
                    let left = most - keys.count
                    guard let found = table.keys(in: range, ofValueIndex: index, atMost: left)
                    else { return nil }
                    keys += found
                }
                // A value may occur in a list several times.
                if ranges.count > 1 { keys = Array(Set(keys)) }
                return Candidates(keys: keys, access: access)
            }
        }
    }

    /// Returns the index of a condition's attribute, and the ranges that contain every match.
    private func ranges(for condition: IndexCondition) -> (index: Int, ranges: [ValueRange])? {
        guard case .attribute(let attribute) = condition.subject,
            let index = table.schema.index(of: attribute),
            let ranges = ValueRange.ranges(condition.test, attribute.type)
        else { return nil }
        return (index, ranges)
    }

    /// Returns a walk along the index of the attribute that a plan first sorts by. Returns `nil` if
    /// there is no such index, or if sorting is faster because the plan wants many matches.
    func walk(for plan: FetchPlan) -> IndexWalk? {
        guard let wanted = plan.concernedCount, wanted < table.count(of: plan.entityNumbers) / 8,
            let sort = plan.sorts.first, let attribute = sort.ownAttribute,
            let index = table.schema.index(of: attribute)
        else { return nil }
        var range = ValueRange()
        for case .comparison(let comparison) in plan.predicate?.conjuncts ?? [] {
            guard let condition = IndexCondition(comparison),
                let (other, ranges) = ranges(for: condition), other == index, ranges.count == 1
            else { continue }
            range = range.intersection(ranges[0])
        }
        if range.start != nil, !sort.isAscending { return nil }
        return IndexWalk(
            table.entries(ofValueIndex: index), range, isAscending: sort.isAscending)
    }

    // MARK: Without candidates

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
            [.integer16, .integer32, .integer64].contains(attribute.type),
            let (index, ranges) = ranges(for: condition), ranges.count == 1,
            let last = ranges[0].to
        else { return nil }
        switch condition.test {
        case .oneOf, .between: break
        default: return nil
        }
        let entries = table.entries(ofValueIndex: index)
        return entries.count(from: ranges[0].from, to: last) + (entries[last] == nil ? 0 : 1)
    }
}
