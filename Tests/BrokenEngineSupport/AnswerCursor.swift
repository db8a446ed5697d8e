import CairnStore

/// An answer that is there as a whole.
final class AnswerCursor: RowCursor {
    let completed: CompletedStages
    private let answer: RowBatch
    private var place = 0

    init(_ answer: RowBatch, _ completed: CompletedStages) {
        self.answer = answer
        self.completed = completed
    }

    func next(atMost count: Int) -> RowBatch? {
        guard place < answer.count else { return nil }
        let end = min(answer.count, place + count)
        defer { place = end }
        return answer.slice(place..<end)
    }
}
