/// A cursor that can show its matches where they stand.
package protocol VisitingCursor: RowCursor {
    /// Calls the body with each match, in any order. So a semi-join, which takes one number from each
    /// row, neither copies nor gathers rows: half of the instructions over rows in memory.
    ///
    /// The body must not ask the cursor or its snapshot anything. A row is good during the call only.
    ///
    /// - Precondition: the plan has neither offset nor limit, all stages are completed, and no match was
    ///   taken yet.
    /// - Throws: as ``RowCursor/next(atMost:)``.
    func forEachMatch(_ body: (RowPointer) -> Void) throws(StoreError)
}
