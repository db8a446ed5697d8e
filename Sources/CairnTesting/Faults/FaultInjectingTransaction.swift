import Cairn
import CairnStore

/// A save of a ``FaultInjectingStore``, whose calls can fail.
final class FaultInjectingTransaction: SaveTransaction {
    private let base: any SaveTransaction
    private let calls: StoreCalls

    init(_ base: any SaveTransaction, _ calls: StoreCalls) {
        (self.base, self.calls) = (base, calls)
    }

    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>] {
        try calls.check(.reserveKeys)
        return try base.reserveKeys(counts)
    }

    func prepare(_ request: SaveRequest) throws(StoreError) {
        calls.faults?.noteSaveName(request.id)
        try calls.check(.prepare)
        try base.prepare(request)
        calls.faults?.noteSuccess(.prepare)
    }

    func members(
        _ relationship: Relationship, ofDeleted owners: [ObjectID]
    ) throws(StoreError) -> RelatedIDs? {
        try calls.check(.relationship)
        return try base.members(relationship, ofDeleted: owners)
    }

    func commit() throws(StoreError) -> SaveOutcome {
        try calls.check(.commit)
        let outcome = try base.commit()
        try calls.check(.commitAnswer)
        return outcome
    }

    func rollback() { base.rollback() }
}
