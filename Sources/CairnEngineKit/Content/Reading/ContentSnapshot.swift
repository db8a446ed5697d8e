import CairnModel
import CairnRows
import CairnStore
import Foundation

extension StoreContent {
    /// Returns a snapshot that shows this state, with fetches that use indexes.
    ///
    /// - Parameter requireOpen: throws `.closed` once the store is closed.
    public func snapshot(
        requireOpen: @escaping @Sendable () throws(StoreError) -> Void
    ) -> any StoreSnapshot {
        ContentSnapshot(self, requireOpen: requireOpen)
    }
}

/// A snapshot of a content. It shares the memory of unchanged parts with other states.
final class ContentSnapshot: StoreSnapshot {
    let generation: StoreGeneration
    /// Follows relationships in this state.
    let resolver: TableResolver
    /// Throws `.closed` once the store is closed.
    let requireOpen: @Sendable () throws(StoreError) -> Void

    init(
        _ content: StoreContent, requireOpen: @escaping @Sendable () throws(StoreError) -> Void
    ) {
        generation = StoreGeneration(content.generation)
        resolver = content.resolver
        self.requireOpen = requireOpen
    }

    func cursor(_ plan: FetchPlan) throws(StoreError) -> any RowCursor {
        try checkRead()
        return try ContentCursor(plan, snapshot: self)
    }

    func count(_ plan: FetchPlan) throws(StoreError) -> Int? {
        try checkRead()
        let matches = try countMatches(plan)
        let afterOffset = max(matches - max(plan.offset, 0), 0)
        return min(afterOffset, max(plan.limit ?? .max, 0))
    }

    private func countMatches(_ plan: FetchPlan) throws(StoreError) -> Int {
        let table = resolver.table
        guard let predicate = plan.predicate else { return table.count(of: plan.entityNumbers) }
        if plan.entityNumbers == plan.entity.rootEntity.hierarchyNumbers,
            let count = CandidateFinder(resolver, plan.entity).count(of: predicate)
        {
            return count
        }
        var plan = plan
        plan.sorts = []
        var scan = try RowScan(plan, on: self)
        return try scan.count()
    }

    func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch {
        try checkRead()
        return resolver.table.rows(for: ids.filter { $0.store == resolver.store })
    }

    /// Members come with their rows, which are in memory. A row takes only 8 bytes in an answer.
    var readPreferences: ReadPreferences { ReadPreferences(sendsRowsWithMembers: true) }

    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(StoreError) -> RelatedIDs {
        try related([RelatedQuestion(relationship, of: ids)]).members[0]
    }

    func related(_ questions: [RelatedQuestion]) throws(StoreError) -> RelatedAnswer {
        try checkRead()
        var reading = MemberReading(table: resolver.table, store: resolver.store)
        return reading.answer(questions)
    }

    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        try checkRead()
        return try resolver.externalData(reference)
    }

    private func checkRead() throws(StoreError) {
        try StoreDeadline.check()
        try requireOpen()
    }
}

/// A cursor that executes a plan completely: predicate, sort, offset and limit.
final class ContentCursor: VisitingCursor {
    let completed = CompletedStages()
    var report: FetchReport? { scan.report }
    private let snapshot: ContentSnapshot
    private let plan: FetchPlan
    private let resolver: TableResolver
    private var scan: RowScan
    private var toSkip: Int
    /// The maximum number of matches that are still to be returned.
    private var remaining: Int
    /// All matches in sorted order, or `nil` before they are sorted and if the plan has no order.
    private var sorted: RowBatch?

    init(_ plan: FetchPlan, snapshot: ContentSnapshot) throws(StoreError) {
        self.snapshot = snapshot
        self.plan = plan
        resolver = snapshot.resolver
        scan = try RowScan(plan, on: snapshot)
        toSkip = max(plan.offset, 0)
        remaining = max(plan.limit ?? .max, 0)
    }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        try snapshot.requireOpen()
        let wanted = min(max(count, 1), remaining)
        if wanted == 0 { return nil }
        let batch = plan.sorts.isEmpty ? try nextMatches(wanted) : try nextSorted(wanted)
        remaining -= batch.count
        if batch.isEmpty { return nil }
        return plan.output == .rows ? batch : RowBatch(ids: batch.ids)
    }

    func forEachMatch(_ body: (RowPointer) -> Void) throws(StoreError) {
        try snapshot.requireOpen()
        try scan.forEach(body)
    }

    private func nextMatches(_ wanted: Int) throws(StoreError) -> RowBatch {
        while toSkip > 0 {
            let passed = try scan.next(atMost: min(toSkip, 4096)).count
            if passed == 0 { return RowBatch() }
            toSkip -= passed
        }
        return try scan.next(atMost: wanted)
    }

    private func nextSorted(_ wanted: Int) throws(StoreError) -> RowBatch {
        let all: RowBatch
        if let sorted { all = sorted } else { all = try sortMatches() }
        sorted = all
        let first = min(toSkip, all.count)
        let end = min(all.count - first, wanted) + first
        toSkip = end
        return all.slice(first..<end)
    }

    private func sortMatches() throws(StoreError) -> RowBatch {
        let sorter = RowSorter(
            plan.sorts, layouts: resolver.table.schema.layouts, resolver: resolver)
        if scan.canWalk, let first = try firstMatches(sorter) { return first }
        if let wanted = plan.concernedCount, 0 < wanted, wanted <= scan.candidateCount / 8,
            var first = FirstCandidates(wanted, of: sorter)
        {
            try scan.forEach { first.add($0) }
            let root = plan.entity.rootEntity.number
            let rows = first.keys.compactMap { resolver.table.row(root: root, key: $0) }
            return try sorter.sorted(RowBatch(rows))
        }
        return try sorter.sorted(try scan.next(atMost: .max))
    }

    /// Returns the matches that are wanted, and perhaps a few more, by walking along an index. Returns
    /// `nil` if too few matches are among the first eighth of all rows, because reading the other rows in
    /// their own order is faster.
    private func firstMatches(_ sorter: RowSorter) throws(StoreError) -> RowBatch? {
        let wanted = plan.concernedCount ?? .max
        let most = resolver.table.count(of: plan.entityNumbers) / 8
        var matches = RowBatch()
        var count = wanted
        while matches.count < wanted, let found = try scan.nextInOrder(lookingAt: count) {
            matches.append(try sorter.sorted(found))
            guard matches.count >= wanted || scan.testedCount < most else {
                scan.endWalk()
                return nil
            }
            count = min(2 * count, 4096)
        }
        return matches
    }
}

/// Follows relationships in one state of a table, for predicates, sorts and derived attributes.
struct TableResolver: DerivationState {
    let table: StoreTable
    let store: StoreNumber

    func rows(for ids: [ObjectID]) -> [Row?] {
        ids.map { $0.store == store ? table.row(root: $0.rootEntity, key: $0.key) : nil }
    }

    func members(of relationship: Relationship, in row: Row) -> [ObjectID] {
        var ids: [ObjectID] = []
        table.forEachMember(of: relationship, owner: row.key) { member, _ in ids.append(member.id) }
        return ids
    }

    func objects(of entity: Entity) -> Set<ObjectID> {
        let rows = table.rows(root: entity.rootEntity.number)
        var position = rows.start
        var ids: Set<ObjectID> = []
        while let (_, row) = rows.next(&position) { ids.insert(row.id) }
        return ids
    }

    /// - Throws: `.externalDataMissing`, because rows in memory contain all of their values.
    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        throw .externalDataMissing(reference, path: table.schema.request.location.description)
    }
}
