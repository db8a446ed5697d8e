import CairnModel
import CairnRows
import CairnStore

/// Evaluates comparisons through relationships from the other end: finds the related objects that
/// fulfil the condition once, and follows the inverse relationship if necessary.
///
/// All engines that evaluate predicates on packed rows share this type. It uses a snapshot only
/// through the store contract. The engine therefore finds the related objects with its own indexes,
/// and a longer path is evaluated step by step.
package struct SemiJoinPlanner {
    private let snapshot: any StoreSnapshot
    private let layouts: RowLayouts
    private let isCancellable: Bool
    private let isIndexed: (FetchPlan) -> Bool
    private let innerFetches: InnerFetches?

    /// - Parameters:
    ///   - snapshot: the snapshot that the tested rows were read from.
    ///   - layouts: the layouts of the rows.
    ///   - isCancellable: see ``FetchPlan/isCancellable``.
    ///   - innerFetches: collects the planner's fetches, if they are to be explained.
    ///   - isIndexed: returns whether the engine can find the matches of a plan without reading
    ///     other rows.
    package init(
        _ snapshot: any StoreSnapshot, layouts: RowLayouts, isCancellable: Bool,
        innerFetches: InnerFetches? = nil,
        isIndexed: @escaping (FetchPlan) -> Bool = { _ in false }
    ) {
        self.snapshot = snapshot
        self.layouts = layouts
        self.isCancellable = isCancellable
        self.isIndexed = isIndexed
        self.innerFetches = innerFetches
    }

    /// For fewer rows, relationships are always followed row by row.
    private static let fewestRows = 4
    /// Following a relationship from a row costs at least as much as testing this number of rows.
    private static let costOfFollowing = 4
    /// The number of matches that are read from the snapshot at a time.
    private static let batchSize = 4096

    /// Adds the semi-joins that cost less than following relationships from `rowCount` rows.
    ///
    /// - Returns: whether there is still a comparison for which a semi-join would pay with more
    ///   rows.
    /// - Throws: the errors of the snapshot.
    package func extend(
        _ joins: inout SemiJoins, for predicate: BoundPredicate, testing rowCount: Int
    ) throws(StoreError) -> Bool {
        switch predicate {
        case .constant: return false
        case .not(let part): return try extend(&joins, for: part, testing: rowCount)
        case .and(let parts), .or(let parts):
            var isPending = false
            for part in parts where try extend(&joins, for: part, testing: rowCount) {
                isPending = true
            }
            return isPending
        case .comparison(let comparison):
            guard joins[comparison] == nil, let related = RelatedCondition(comparison),
                related.isAnswerable
            else { return false }
            guard rowCount >= Self.fewestRows,
                let found = try self.rowCount(of: related, testing: rowCount)
            else { return true }
            joins[comparison] = try join(related, destinationCount: found, testing: rowCount)
            return false
        }
    }

    /// Returns the maximum number of objects at the other end, or `nil` if reading all of them
    /// would not pay.
    private func rowCount(
        of related: RelatedCondition, testing rowCount: Int
    ) throws(StoreError) -> Int? {
        let destination = related.relationship.destination
        guard let count = try count(of: destination) else { return nil }
        var linkCount = rowCount
        if related.relationship.isToMany {
            let owners = try self.count(of: related.relationship.entity) ?? count
            // A one-to-many relationship has at most as many links as members.
            linkCount = min(rowCount, owners) * max(count / max(owners, 1), 1)
        }
        if count / Self.costOfFollowing <= linkCount { return count }
        guard case .comparison(let comparison)? = related.condition,
            comparison.operator == .equal || comparison.operator == .in
        else { return nil }
        return isIndexed(FetchPlan(entity: destination, predicate: related.condition))
            ? count : nil
    }

    /// Returns an upper bound for the number of rows. Engines know the count of a whole hierarchy
    /// without reading rows.
    private func count(of entity: Entity) throws(StoreError) -> Int? {
        try snapshot.count(FetchPlan(entity: entity.rootEntity))
    }

    /// Returns `nil` if the condition does not compile.
    private func join(
        _ related: RelatedCondition, destinationCount: Int, testing rowCount: Int
    ) throws(StoreError) -> SemiJoin? {
        switch related.requirement {
        case .destination:
            guard let found = try destinations(of: related) else { return nil }
            let keys = KeySet(found)
            return SemiJoin(
                subject: .destination(related.relationship), keys: keys,
                holdsForKeys: !related.isNegated,
                isSelective: !related.isNegated && keys.count <= destinationCount / 8)
        case .someMember:
            return try owners(of: related) { _ in true }.map { ownerJoin($0, related, rowCount) }
        case .memberCount(let test):
            let keys = try owners(of: related) { test.holds(forCount: $0) != related.isNegated }
            return keys.map { ownerJoin($0, related, rowCount) }
        }
    }

    private func ownerJoin(
        _ keys: [Int64], _ related: RelatedCondition, _ rowCount: Int
    ) -> SemiJoin {
        let keys = KeySet(keys)
        return SemiJoin(
            subject: .row, keys: keys, holdsForKeys: !related.isNegated,
            isSelective: !related.isNegated && keys.count <= rowCount / 8)
    }

    // MARK: The other end

    private func destinations(of related: RelatedCondition) throws(StoreError) -> [Int64]? {
        guard let matches = try matches(of: related, .rows) else { return nil }
        var keys: [Int64] = []
        try matches.forEachMatch(batchesOf: Self.batchSize) { keys.append($0.key) }
        return keys
    }

    /// Returns the owners of members that fulfil the condition, if the body accepts the number of
    /// these members.
    private func owners(
        of related: RelatedCondition, where isIncluded: (Int) -> Bool
    ) throws(StoreError) -> [Int64]? {
        guard let inverse = related.relationship.inverse,
            let matches = try matches(of: related, inverse.isToMany ? .ids : .rows)
        else { return nil }
        var counts = KeyCounts()
        if inverse.isToMany {
            while let batch = try matches.next(atMost: Self.batchSize) {
                let owners = try snapshot.relatedIDs(inverse, of: batch.ids)
                for owner in owners.members { counts.add(owner.key) }
            }
            return counts.keys(where: isIncluded)
        }
        let slots = SlotTable(inverse.entity, slot: inverse.rowSlot, layouts)
        if let (entity, slot) = slots.only {
            try matches.forEachMatch(batchesOf: Self.batchSize) { row in
                guard row.entity == entity, !row.isNull(slot) else { return }
                counts.add(row.number(slot))
            }
            return counts.keys(where: isIncluded)
        }
        try matches.forEachMatch(batchesOf: Self.batchSize) { row in
            guard let slot = slots.slot(for: row), !row.isNull(slot) else { return }
            counts.add(row.number(slot))
        }
        return counts.keys(where: isIncluded)
    }

    /// Returns the objects at the other end that fulfil the condition. Returns `nil` if the
    /// condition does not compile. Compiling the whole predicate then reports the error.
    private func matches(
        of related: RelatedCondition, _ output: FetchPlan.Output
    ) throws(StoreError) -> (any RowCursor)? {
        var plan = FetchPlan(
            entity: related.relationship.destination, predicate: related.condition, output: output)
        plan.isCancellable = isCancellable
        plan.isExplained = innerFetches != nil
        let cursor = try snapshot.cursor(plan)
        innerFetches?.add(cursor)
        guard cursor.completed.remainingPredicate != nil else { return cursor }
        plan.output = .rows
        let rows = try snapshot.cursor(plan)
        innerFetches?.add(rows)
        guard let remaining = rows.completed.remainingPredicate else { return rows }
        return try? rows.filtered(
            by: remaining, snapshot: snapshot, layouts: layouts, isCancellable: isCancellable)
    }
}

extension RelatedCondition {
    /// Whether the objects that lead to the other end can be found from there.
    fileprivate var isAnswerable: Bool {
        guard !readsExternalData else { return false }
        guard relationship.isToMany else { return relationship.rowSlot != nil }
        guard !relationship.isTransient, let inverse = relationship.inverse else { return false }
        // An inherited inverse may lead back from objects that are not destinations.
        return inverse.entity == relationship.destination && !inverse.isTransient
            && inverse.inverse == relationship
    }

    /// Whether the condition reads values that are stored outside of rows. Each of them is in a
    /// file, which may be missing.
    private var readsExternalData: Bool {
        condition?.paths.contains { path in
            guard case .attribute(let attribute) = path.leaf else { return false }
            return attribute.description.allowsExternalBinaryDataStorage
        } ?? false
    }
}

extension FetchPlan {
    /// Returns how many of the candidates will probably be tested. They are fewer than all if the
    /// first matches are enough.
    package func expectedTestCount(among candidateCount: Int) -> Int {
        guard sorts.isEmpty, let limit else { return candidateCount }
        let (wanted, overflow) = max(limit, 0).addingReportingOverflow(max(offset, 0))
        guard !overflow, wanted < candidateCount / 16 else { return candidateCount }
        return max(wanted * 16, min(candidateCount, 256))
    }
}

/// The number of occurrences of each key in a sequence.
///
/// The keys of a table's rows are usually close together. Therefore the counts of low keys are
/// stored in a table that grows with the sequence, and only the counts of other keys in a
/// dictionary.
struct KeyCounts: ~Copyable {
    /// The counts by key, starting at 0. Not an array, which would check for each key whether its
    /// storage is shared.
    private var low = UnsafeMutableBufferPointer<Int32>(start: nil, count: 0)
    private var high: [Int64: Int] = [:]
    private var addedCount = 0

    deinit { low.deallocate() }

    /// Counts one occurrence of the key.
    @inline(__always) mutating func add(_ key: Int64) {
        addedCount += 1
        if UInt64(bitPattern: key) < UInt64(low.count) {
            low[Int(key)] += 1
        } else {
            addOutside(key)
        }
    }

    private mutating func addOutside(_ key: Int64) {
        // The table pays if it has at most 16 entries for each key, and always for the first 64 K
        // entries.
        let limit = max(addedCount * 16, 1 << 16)
        guard key >= 0, key < Int64(limit) else {
            high[key, default: 0] += 1
            return
        }
        grow(to: max(Int(key) + 1, min(low.count * 2, limit), 1024))
        low[Int(key)] += 1
    }

    private mutating func grow(to count: Int) {
        let grown = UnsafeMutableBufferPointer<Int32>.allocate(capacity: count)
        grown.initialize(repeating: 0)
        for index in low.indices { grown[index] = low[index] }
        low.deallocate()
        low = grown
    }

    /// Returns, in ascending order, the keys for whose counts the body returns `true`.
    func keys(where isIncluded: (Int) -> Bool) -> [Int64] {
        var (keys, others): ([Int64], _) = ([], high)
        for index in low.indices {
            var count = Int(low[index])
            // The key may have been counted before the table was large enough.
            if !others.isEmpty { count += others.removeValue(forKey: Int64(index)) ?? 0 }
            if count > 0, isIncluded(count) { keys.append(Int64(index)) }
        }
        if others.isEmpty { return keys }
        return (keys + others.filter { isIncluded($0.value) }.keys).sorted()
    }
}
