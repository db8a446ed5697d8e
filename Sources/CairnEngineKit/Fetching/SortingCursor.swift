import CairnModel
import CairnRows
import CairnStore

/// A cursor that sorts the matches of another cursor. It reads all of them before it returns the
/// first.
package final class SortingCursor: RowCursor {
    package let completed = CompletedStages()
    private let source: any RowCursor
    private let order: RowOrder
    private let most: Int
    private var sorted: RowBatch?
    private var position = 0

    /// Sorting after each small batch would cost more than sorting many matches together.
    private static let fewestSorted = 4096

    /// - Parameters:
    ///   - source: the cursor of the matches, in any order.
    ///   - order: the order in which this cursor returns the matches.
    ///   - most: how many of the first matches are wanted. If `nil`, all are wanted. Otherwise no
    ///     more than twice as many matches, or a few thousand, are held at a time.
    package init(_ source: any RowCursor, order: RowOrder, atMost most: Int?) {
        self.source = source
        self.order = order
        self.most = max(0, most ?? .max)
    }

    package func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        let all = try readAll(atMost: count)
        let end = position + min(count, all.count - position)
        guard position < end else { return nil }
        defer { position = end }
        return all.slice(position..<end)
    }

    private func readAll(atMost count: Int) throws(StoreError) -> RowBatch {
        if let sorted { return sorted }
        var all = RowBatch()
        let (twice, overflows) = most.multipliedReportingOverflow(by: 2)
        let fullCount = overflows ? .max : max(twice, Self.fewestSorted)
        while let batch = try source.next(atMost: count) {
            all.append(batch)
            if all.count > fullCount { all = try firstMatches(of: all) }
        }
        let result = try firstMatches(of: all)
        sorted = result
        return result
    }

    private func firstMatches(of batch: RowBatch) throws(StoreError) -> RowBatch {
        let sorted = try order.sorted(batch)
        if sorted.count <= most { return sorted }
        // Copies the rows: a slice would keep the memory of the other matches.
        return RowBatch(sorted.rowIndices.prefix(most).lazy.map { sorted[row: $0] })
    }
}
