/// The answer to a fetch, read in batches. Used by one thread at a time. Other cursors of the same
/// snapshot may be read in between.
public protocol RowCursor: AnyObject {
    /// What of the plan the engine does. Known before the first batch, and the same from then on.
    var completed: CompletedStages { get }

    /// Returns the next matches, at most `count` of them. Returns `nil` at the end, and whenever the
    /// cursor is asked again after the end.
    ///
    /// A batch may have fewer matches than `count` although more follow. A batch is never empty: an
    /// engine that has found nothing yet goes on until it finds a match or the end. A batch outlives
    /// its cursor. After an error the cursor is of no more use; its snapshot can still be read.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.deadlineExceeded`, `.engineFailure`; `.predicate` if a pattern
    ///   takes too many steps; `.cancelled` if the plan is cancellable.
    func next(atMost count: Int) throws(StoreError) -> RowBatch?
}
