/// The answer to a fetch, read in batches. Used by one thread at a time.
public protocol RowCursor: AnyObject {
    /// What of the plan the engine does; known before the first batch.
    var completed: CompletedStages { get }

    /// Returns the next matches, at most `count` of them; nil at the end.
    ///
    /// Never an empty batch. A batch outlives its cursor.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.engineFailure`; `.predicate` if a pattern takes too many steps;
    ///   `.cancelled` if the plan is cancellable.
    func next(atMost count: Int) throws(StoreError) -> RowBatch?
}
