import CairnRows
import CairnStore

/// A cursor that can provide its matches without copying them.
package protocol VisitingCursor: RowCursor {
    /// Calls the body with each match, in any order. A semi-join or a sum reads only one number from
    /// each row. With this method it neither copies nor gathers rows, which halves the instructions
    /// for rows in memory.
    ///
    /// The body must not use the cursor or its snapshot. A row is valid only during the call.
    ///
    /// - Precondition: the plan has neither offset nor limit, all stages are completed, and no
    ///   match has been read yet.
    /// - Throws: the errors of ``RowCursor/next(atMost:)``.
    func forEachMatch(_ body: (RowPointer) -> Void) throws(StoreError)
}

extension RowCursor {
    /// Calls the body with each match, in any order. The rows are not copied if the engine supports
    /// that, and are read in batches otherwise.
    ///
    /// - Precondition: that of ``VisitingCursor/forEachMatch(_:)``.
    /// - Throws: the errors of ``RowCursor/next(atMost:)``.
    package func forEachMatch(
        batchesOf count: Int, _ body: (RowPointer) -> Void
    ) throws(StoreError) {
        if let visiting = self as? any VisitingCursor { return try visiting.forEachMatch(body) }
        while let batch = try next(atMost: count) {
            for index in batch.rowIndices { body(batch.pointer(at: index)) }
        }
    }
}
