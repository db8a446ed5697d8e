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
        let root = plan.entity.rootEntity.number
        if plan.entityNumbers == plan.entity.rootEntity.hierarchyNumbers,
            let count = CandidateFinder(resolver, root: root).count(of: predicate)
        {
            return count
        }
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
