import CairnRows
import CairnStore

/// A cursor over an answer that was computed completely in advance.
final class AnswerCursor: RowCursor {
    let completed: CompletedStages
    private let answer: RowBatch
    private var index = 0

    init(_ answer: RowBatch, _ completed: CompletedStages) {
        self.answer = answer
        self.completed = completed
    }

    func next(atMost count: Int) -> RowBatch? {
        guard index < answer.count else { return nil }
        let end = min(answer.count, index + count)
        defer { index = end }
        return answer.slice(index..<end)
    }
}
