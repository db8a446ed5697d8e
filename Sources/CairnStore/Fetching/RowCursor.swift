import CairnRows

/// The result of a fetch, read in batches.
///
/// A cursor is used by one thread at a time. Other cursors of the same snapshot may be read between
/// its batches.
public protocol RowCursor: AnyObject {
    /// The stages of the plan that the engine completes. The stages are known before the first
    /// batch, and do not change.
    var completed: CompletedStages { get }

    /// Returns the next matches, at most `count` of them. After the last match, every call returns
    /// `nil`.
    ///
    /// A batch may have fewer matches than `count` even if more follow, but it is never empty: the
    /// engine continues until it finds a match or reaches the end. A batch can be used after its
    /// cursor was released. After an error, the cursor cannot be used any more, but its snapshot
    /// can.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.deadlineExceeded`, `.engineFailure`; `.predicate` if
    ///   matching a pattern takes too many steps; `.cancelled` if the plan is cancellable.
    func next(atMost count: Int) throws(StoreError) -> RowBatch?
}
