import Cairn
import CairnStore

/// A cursor of a ``FaultInjectingSnapshot``, whose calls can fail.
final class FaultInjectingCursor: RowCursor {
    private let base: any RowCursor
    private let calls: StoreCalls

    init(_ base: any RowCursor, _ calls: StoreCalls) {
        (self.base, self.calls) = (base, calls)
    }

    var completed: CompletedStages { base.completed }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        try calls.check(.nextBatch)
        let batch = try base.next(atMost: count)
        calls.faults?.noteRows(batch?.count ?? 0)
        return batch
    }
}
