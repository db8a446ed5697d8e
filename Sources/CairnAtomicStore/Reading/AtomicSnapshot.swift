import CairnModel
import CairnStore
import Foundation

/// One state of an ``AtomicStore``: shares all its memory with the states around it.
package final class AtomicSnapshot: StoreSnapshot {
    private let store: AtomicStore
    private let state: AtomicStore.State

    init(store: AtomicStore, state: AtomicStore.State) {
        self.store = store
        self.state = state
    }

    package var generation: StoreGeneration { state.generation }

    package func cursor(_ plan: FetchPlan) throws(StoreError) -> any RowCursor {
        try store.checkOpen()
        return AtomicCursor(plan, store: store, table: state.table)
    }

    package func count(_ plan: FetchPlan) throws(StoreError) -> Int? {
        try store.checkOpen()
        guard plan.predicate == nil else { return nil }
        let all = max(state.table.count(of: plan.entityNumbers) - max(plan.offset, 0), 0)
        return min(all, max(plan.limit ?? all, 0))
    }

    package func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch {
        try store.checkOpen()
        let own = store.number
        return RowBatch(
            ids.lazy.compactMap { id in
                id.store == own ? self.state.table.row(root: id.rootEntity, key: id.key) : nil
            })
    }

    package func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(StoreError) -> RelatedIDs {
        try store.checkOpen()
        let root = relationship.destination.rootEntity.number
        var related = RelatedIDs()
        for id in ids {
            if id.store == store.number,
                state.table.row(root: id.rootEntity, key: id.key) != nil
            {
                append(relationship, owner: id.key, root: root, to: &related)
            }
            related.endOwner()
        }
        return related
    }

    private func append(
        _ relationship: Relationship, owner: Int64, root: EntityNumber,
        to related: inout RelatedIDs
    ) {
        var last: Int64?
        for member in state.table.members(of: relationship, owner: owner) {
            guard let row = state.table.row(root: root, key: member.key) else { continue }
            // A member without a place takes the next one behind the others.
            last = member.orderKey ?? last.map { $0 < .max ? $0 + 1 : $0 } ?? 0
            related.append(row.id, orderKey: relationship.isOrdered ? last : nil)
        }
    }

    package func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        try store.checkOpen()
        // Rows here hold all their values themselves.
        throw .externalDataMissing(reference, path: store.request.location.description)
    }
}
