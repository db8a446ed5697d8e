import CairnRows
import CairnStore

/// Divides fetches by first reading all matches. May do so with a flaw.
struct FlawedParts {
    let kind: Flaw.Parts
    let plan: FetchPlan
    let count: Int
    let rowsEach: Int

    func make(
        of snapshot: any StoreSnapshot, store: any PersistentStore
    ) throws(StoreError) -> [FetchPart] {
        if kind == .none { return [] }
        var asked = plan
        if kind == .leaveTheSort { asked.sorts = [] }
        let shown = kind == .showTheNewest ? try store.snapshot() : snapshot
        let cursor = try shown.cursor(asked)
        guard cursor.completed.isComplete else { return [] }
        var matches = RowBatch()
        while let batch = try cursor.next(atMost: 1000) { matches.append(batch) }
        let most = kind == .areTooSmall ? count : min(count, matches.count / rowsEach)
        guard most > 1 else { return [] }
        let middle = matches.count / 2
        let (end, start) = (kind == .overlap ? middle + 1 : middle, middle)
        let last = kind == .lackTheLastMatch ? matches.count - 1 : matches.count
        var ranges = [0..<end, start..<last]
        if kind == .areTooMany { ranges += Array(repeating: last..<last, count: count) }
        return ranges.map { range in
            let part = matches.slice(range)
            return FetchPart { AnswerCursor(part, CompletedStages()) }
        }
    }
}
