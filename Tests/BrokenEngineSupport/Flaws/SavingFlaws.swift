import CairnModel
import CairnRows
import CairnStore

extension Flaw {
    static let ofSaving: [Flaw] = [
        Flaw("makes a save to synchronise the store") {
            $0.synchronizesBySaving = true
        },
        Flaw("takes a save that its reporter ends for a failure") {
            $0.refused = { error in
                guard case .cancelled = error else { return error }
                return .keysExhausted(entity: "Album")
            }
        },
        Flaw("finds values that the model does not explain in a store without damage") {
            $0.findsUnexplainedValues = true
        },
        Flaw("says of abstract rows that the store is damaged") {
            $0.refused = takeUnsupportedForDamage
        },
        Flaw("drops a row") {
            $0.requested = { (request, _) in
                let rows = Array(request.inserted.rows)
                if !request.updated.isEmpty { request.inserted = RowBatch(rows.dropLast()) }
            }
        },
        Flaw("drops the last deletion") {
            $0.requested = { (request, _) in _ = request.deleted.popLast() }
        },
        Flaw("shows during a save what was read before") {
            $0.snapshots = .showDuringSavesWhatWasReadBefore
        },
        Flaw("checks no references itself although it cannot be read during a save") {
            $0.engine = OptimisticStore<LeavesReferences>.self
        },
        Flaw("knows no members of deleted objects") {
            $0.saving = .forgetsMembersOfDeletedObjects
        },
        Flaw("commits at prepare") { $0.saving = .commitsAtPrepare },
        Flaw("saves half of what it refuses") {
            $0.saving = .savesHalfOfWhatItRefuses
        },
        Flaw("commits what is rolled back") {
            $0.saving = .commitsAtRollback
        },
        Flaw("commits nothing") { $0.saving = .commitsNothing },
        Flaw("loses metadata") {
            $0.requested = { (request, _) in request.metadata = [:] }
        },
        Flaw("keeps only texts in metadata") {
            $0.described = { metadata, _ in
                metadata.values = metadata.values.mapValues { .string("\($0)") }
            }
        },
        Flaw("says version 1 of every row") {
            $0.found = { (batch, _, packing) in
                RowBatch(batch.rows.map { packing.copy(of: $0, version: 1) })
            }
        },
        Flaw("keeps a value that is taken away") {
            $0.requested = { (request, packing) throws(StoreError) in
                for index in request.updated.indices {
                    let row = request.updated[index].row
                    guard let old = try packing.stored(row.id) else { continue }
                    let name = packing.value("name", of: old)
                    let isEmptied = packing.value("name", of: row).isNull
                    request.updated[index].row = packing.copy(of: row) {
                        isEmptied && $0.isNull && row.entity == old.entity ? name : $0
                    }
                }
            }
        },
    ]
}
