import CairnRows
import CairnStore

/// A cursor that can provide its matches without copying them.
package protocol VisitingCursor: RowCursor {
    /// Calls the body with each match, in any order. A semi-join reads only one number from each
    /// row. With this method it neither copies nor gathers rows, which halves the instructions for
    /// rows in memory.
    ///
    /// The body must not use the cursor or its snapshot. A row is valid only during the call.
    ///
    /// - Precondition: the plan has neither offset nor limit, all stages are completed, and no
    ///   match has been read yet.
    /// - Throws: the errors of ``RowCursor/next(atMost:)``.
    func forEachMatch(_ body: (RowPointer) -> Void) throws(StoreError)
}
