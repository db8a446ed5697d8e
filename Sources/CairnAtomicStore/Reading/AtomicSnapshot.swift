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
        let behindOffset = max(matches - max(plan.offset, 0), 0)
        return min(behindOffset, max(plan.limit ?? .max, 0))
    }

    private func countMatches(_ plan: FetchPlan) throws(StoreError) -> Int {
        if plan.predicate == nil { return state.table.count(of: plan.entityNumbers) }
        var scan = try RowScan(plan, on: self)
        return try scan.count()
    }

    /// Follows relationships in this state.
    var resolver: TableResolver {
        TableResolver(table: state.table, store: store.number, location: store.request.location)
    }

    package func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch {
        try checkRead()
        return RowBatch(resolver.rows(for: Self.withoutRepeats(ids)).lazy.compactMap(\.self))
    }

    /// The IDs, each once. Costs one comparison for each if their keys ascend.
    private static func withoutRepeats(_ ids: [ObjectID]) -> [ObjectID] {
        let isAscending = zip(ids, ids.dropFirst()).allSatisfy {
            $0.rootEntity == $1.rootEntity && $0.key < $1.key
        }
        if isAscending { return ids }
        var seen = Set<ObjectID>(minimumCapacity: ids.count)
        return ids.filter { seen.insert($0).inserted }
    }

    package func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(StoreError) -> RelatedIDs {
        try checkRead()
        let root = relationship.entity.rootEntity.number
        var related = RelatedIDs()
        for row in resolver.rows(for: ids) {
            if let row, row.rootEntity == root {
                state.table.forEachMember(of: relationship, owner: row.key) { member, orderKey in
                    related.append(member.id, orderKey: orderKey)
                }
            }
            related.endOwner()
        }
        return related
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
