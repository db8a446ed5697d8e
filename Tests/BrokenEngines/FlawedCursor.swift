import CairnStore

/// A sound cursor that is asked for other numbers of rows, or claims other stages.
final class FlawedCursor: RowCursor {
    let completed: CompletedStages
    private let base: any RowCursor
    private let batchSize: @Sendable (Int) -> Int

    init(
        _ base: any RowCursor, _ completed: CompletedStages,
        _ batchSize: @escaping @Sendable (Int) -> Int
    ) {
        self.base = base
        self.completed = completed
        self.batchSize = batchSize
    }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        let size = batchSize(count)
        return size > 0 ? try base.next(atMost: size) : RowBatch()
    }
}
