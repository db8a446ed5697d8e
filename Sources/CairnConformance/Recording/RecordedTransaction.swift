import CairnModel
import CairnStore
import Foundation

/// A save of a ``RecordedStore``.
final class RecordedTransaction: SaveTransaction {
    private let base: any SaveTransaction
    private let text: StepText
    private let log: StepLog

    init(_ base: any SaveTransaction, _ text: StepText, _ log: StepLog) {
        self.base = base
        self.text = text
        self.log = log
    }

    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>] {
        let text = text
        return try log.recording(
            { "reserveKeys \(text.counts(counts))" }, { keys in { text.keys(keys) } }
        ) { () throws(StoreError) in try base.reserveKeys(counts) }
    }

    func prepare(_ request: SaveRequest) throws(StoreError) {
        let text = text
        try log.recording({ "prepare: \(text.request(request))" }, { _ in nil }) {
            () throws(StoreError) in try base.prepare(request)
        }
    }

    func members(
        _ relationship: Relationship, ofDeleted owners: [ObjectID]
    ) throws(StoreError) -> RelatedIDs? {
        let text = text
        return try log.recording(
            { "\(relationship.name) of \(text.objects(owners)), which are deleted" },
            { related in { related.map { text.objects($0.members) } ?? "no answer" } }
        ) { () throws(StoreError) in try base.members(relationship, ofDeleted: owners) }
    }

    func commit() throws(StoreError) -> SaveOutcome {
        try log.recording(
            { "commit" },
            { outcome in
                let generation = outcome.generation.rawValue
                return { "generation \(generation)" }
            }
        ) { () throws(StoreError) in try base.commit() }
    }

    func rollback() {
        log.note { "rollback" }
        base.rollback()
    }
}
