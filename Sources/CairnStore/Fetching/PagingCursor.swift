import CairnRows

/// A cursor that skips the first matches of another cursor, and ends after a maximum number of
/// matches.
package final class PagingCursor: RowCursor {
    package let completed = CompletedStages()
    private let source: any RowCursor
    private var toSkip: Int
    private var toReturn: Int

    /// - Parameters:
    ///   - source: the cursor of all matches, in the order of the result.
    ///   - offset: the number of matches to skip.
    ///   - limit: the maximum number of matches to return. If `nil`, all are returned.
    package init(_ source: any RowCursor, offset: Int, limit: Int?) {
        self.source = source
        toSkip = max(0, offset)
        toReturn = max(0, limit ?? .max)
    }

    package func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        while toReturn > 0, let batch = try source.next(atMost: count) {
            let skipped = min(toSkip, batch.count)
            toSkip -= skipped
            let end = min(batch.count, skipped + min(toReturn, batch.count - skipped))
            toReturn -= end - skipped
            if skipped < end {
                return skipped == 0 && end == batch.count ? batch : batch.slice(skipped..<end)
            }
        }
        return nil
    }
}
