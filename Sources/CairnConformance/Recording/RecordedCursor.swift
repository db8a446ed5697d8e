import CairnModel
import CairnRows
import CairnStore
import Foundation

/// A cursor of a ``RecordedSnapshot``.
final class RecordedCursor: RowCursor {
    private let base: any RowCursor
    private let text: StepText
    private let log: StepLog

    init(_ base: any RowCursor, _ text: StepText, _ log: StepLog) {
        self.base = base
        self.text = text
        self.log = log
    }

    var completed: CompletedStages { base.completed }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        let text = text
        return try log.recording(
            { "next at most \(count)" },
            { batch in
                let ids = batch?.ids
                return { ids.map(text.objects) ?? "the end" }
            }
        ) { () throws(StoreError) in try base.next(atMost: count) }
    }
}
