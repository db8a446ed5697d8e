import CairnMemory
import CairnModel
import CairnRows
import CairnStore
import Foundation

/// An in-memory store that differs from the built-in engines in what its options say. Each option is off if
/// it is absent. Others may save to the store.
package final class VariedStore: PersistentStore {
    /// Every fetch returns all rows and leaves the predicate to the coordinator.
    package static let leavesPredicates: StoreOption = "leavesPredicates"
    /// Keys can be reserved outside of saves.
    package static let reservesApart: StoreOption = "reservesApart"
    /// A retained snapshot keeps others from saving.
    package static let keepsOthersFromSaving: StoreOption = "keepsOthersFromSaving"

    package static let type: StoreType = "Varied"
    package static let capabilities = StoreCapabilities(
        readsDuringSave: true, isShared: true,
        options: [leavesPredicates, reservesApart, keepsOthersFromSaving])

    package let request: OpenRequest
    private let base: InMemoryStore

    private init(_ base: InMemoryStore, _ request: OpenRequest) {
        (self.base, self.request) = (base, request)
    }

    package static func open(_ request: OpenRequest) throws(StoreError) -> VariedStore {
        var plain = request
        plain.options = [:]
        return VariedStore(try InMemoryStore.open(plain), request)
    }

    package var number: StoreNumber { base.number }
    package func metadata() throws(StoreError) -> StoreMetadata { try base.metadata() }
    package func snapshot() throws(StoreError) -> any StoreSnapshot {
        Snapshot(try base.snapshot(), request.options)
    }
    package func beginSave() throws(StoreError) -> any SaveTransaction { try base.beginSave() }
    package func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>]? {
        guard request.options[Self.reservesApart] == true else { return nil }
        let save = try base.beginSave()
        defer { save.rollback() }
        return try save.reserveKeys(counts)
    }
    package func close() throws(StoreError) { try base.close() }

    private final class Snapshot: StoreSnapshot {
        private let base: any StoreSnapshot
        private let options: StoreOptions

        init(_ base: any StoreSnapshot, _ options: StoreOptions) {
            (self.base, self.options) = (base, options)
        }

        var generation: StoreGeneration { base.generation }
        func keepsOthersFromSaving() throws(StoreError) -> Bool {
            options[VariedStore.keepsOthersFromSaving] == true
        }
        func cursor(_ plan: FetchPlan) throws(StoreError) -> any RowCursor {
            guard options[VariedStore.leavesPredicates] == true, let predicate = plan.predicate
            else { return try base.cursor(plan) }
            var all = FetchPlan(entity: plan.entity, output: plan.output)
            all.includesSubentities = plan.includesSubentities
            return LeavingCursor(try base.cursor(all), predicate)
        }
        func count(_ plan: FetchPlan) throws(StoreError) -> Int? { try base.count(plan) }
        func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch { try base.rows(for: ids) }
        func relatedIDs(
            _ relationship: Relationship, of ids: [ObjectID]
        ) throws(StoreError) -> RelatedIDs {
            try base.relatedIDs(relationship, of: ids)
        }
        func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
            try base.externalData(reference)
        }
        func end() { base.end() }
    }

    private final class LeavingCursor: RowCursor {
        let completed: CompletedStages
        private let source: any RowCursor

        init(_ source: any RowCursor, _ predicate: BoundPredicate) {
            self.source = source
            completed = CompletedStages(
                remainingPredicate: predicate, isSorted: false, isPaged: false)
        }

        func next(atMost count: Int) throws(StoreError) -> RowBatch? {
            try source.next(atMost: count)
        }
    }
}
