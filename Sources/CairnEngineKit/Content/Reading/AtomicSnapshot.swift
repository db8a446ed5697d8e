import CairnModel
import CairnRows
import CairnStore
import Foundation

/// A snapshot of a content. It shares the memory of unchanged parts with other states.
package final class AtomicSnapshot: StoreSnapshot {
    private let content: AtomicContent
    /// Throws `.closed` once the store is closed.
    let requireOpen: @Sendable () throws(StoreError) -> Void

    package init(
        _ content: AtomicContent, requireOpen: @escaping @Sendable () throws(StoreError) -> Void
    ) {
        self.content = content
        self.requireOpen = requireOpen
    }

    package var generation: StoreGeneration { StoreGeneration(content.generation) }

    package func cursor(_ plan: FetchPlan) throws(StoreError) -> any RowCursor {
        try checkRead()
        return try AtomicCursor(plan, snapshot: self)
    }

    package func count(_ plan: FetchPlan) throws(StoreError) -> Int? {
        try checkRead()
        let matches = try countMatches(plan)
        let afterOffset = max(matches - max(plan.offset, 0), 0)
        return min(afterOffset, max(plan.limit ?? .max, 0))
    }

    private func countMatches(_ plan: FetchPlan) throws(StoreError) -> Int {
        let table = content.table
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

    /// Follows relationships in this state.
    var resolver: TableResolver { content.resolver }

    package func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch {
        try checkRead()
        return content.table.rows(for: ids.filter { $0.store == content.number })
    }

    /// Members come with their rows, which are in memory. A row takes only 8 bytes in an answer.
    package var readPreferences: ReadPreferences { ReadPreferences(sendsRowsWithMembers: true) }

    package func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(StoreError) -> RelatedIDs {
        try related([RelatedQuestion(relationship, of: ids)]).members[0]
    }

    package func related(_ questions: [RelatedQuestion]) throws(StoreError) -> RelatedAnswer {
        try checkRead()
        var reading = MemberReading(table: content.table, store: content.number)
        return reading.answer(questions)
    }

    package func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        try checkRead()
        return try resolver.externalData(reference)
    }

    private func checkRead() throws(StoreError) {
        try StoreDeadline.check()
        try requireOpen()
    }
}
