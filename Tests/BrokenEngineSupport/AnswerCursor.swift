import CairnStore

/// An answer that is there as a whole.
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
