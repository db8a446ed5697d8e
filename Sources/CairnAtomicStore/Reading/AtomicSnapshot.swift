import CairnModel
import CairnStore
import Foundation

/// One state of an ``AtomicStore``: shares all its memory with the states around it.
package final class AtomicSnapshot: StoreSnapshot {
    let store: AtomicStore
    private let state: AtomicStore.State

    init(store: AtomicStore, state: AtomicStore.State) {
        self.store = store
        self.state = state
    }

    package var generation: StoreGeneration { state.generation }

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
        let table = state.table
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
    var resolver: TableResolver {
        TableResolver(table: state.table, store: store.number, location: store.request.location)
    }

    package func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch {
        try checkRead()
        return state.table.rows(for: ids.filter { $0.store == store.number })
    }

    /// Rows come with their members: they are in memory, and an answer holds 8 bytes for each.
    package var readPreferences: ReadPreferences { ReadPreferences(sendsRowsWithMembers: true) }

    package func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(StoreError) -> RelatedIDs {
        try related([RelatedQuestion(relationship, of: ids)]).members[0]
    }

    package func related(_ questions: [RelatedQuestion]) throws(StoreError) -> RelatedAnswer {
        try checkRead()
        var reading = MemberReading(table: state.table, store: store.number)
        return reading.answer(questions)
    }

    package func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        try checkRead()
        return try resolver.externalData(reference)
    }

    private func checkRead() throws(StoreError) {
        try StoreDeadline.check()
        try store.checkOpen()
    }
}
