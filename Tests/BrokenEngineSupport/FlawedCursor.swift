import CairnRows
import CairnStore

/// A sound cursor that requests different numbers of rows, or claims different completed stages.
final class FlawedCursor: RowCursor {
    private let base: any RowCursor
    private let claimed: CompletedStages
    private let flaw: Flaw
    private let newest: NewestCursor
    private let number: Int
    private var hasBegun = false

    init(
        _ base: any RowCursor, _ claimed: CompletedStages, _ flaw: Flaw, _ newest: NewestCursor
    ) {
        self.base = base
        self.claimed = claimed
        self.flaw = flaw
        self.newest = newest
        number = newest.take()
    }

    var completed: CompletedStages {
        hasBegun && flaw.cursors == .forgetWhatTheyClaimed
            ? CompletedStages(isSorted: !claimed.isSorted, isPaged: !claimed.isPaged) : claimed
    }

    var report: FetchReport? {
        guard var report = base.report else { return nil }
        if flaw.cursors == .countNoRows { report.rowsRead = 0 }
        if flaw.cursors == .giveReasonsForNothing { report.reason = report.reason ?? "" }
        return report
    }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        hasBegun = true
        if flaw.cursors == .onlyTheNewestGoesOn, !newest.isNewest(number) { return nil }
        let size = flaw.batchSize(count)
        if size == 0 { return RowBatch() }
        do {
            return try base.next(atMost: size)
        } catch {
            if flaw.cursors == .endQuietlyAtErrors, case .predicate = error { return nil }
            throw error
        }
    }
}
