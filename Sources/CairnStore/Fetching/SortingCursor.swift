import CairnModel

/// The matches of a cursor in an order. Reads all of them before it returns the first.
package final class SortingCursor: RowCursor {
    package let completed = CompletedStages()
    private let source: any RowCursor
    private let order: RowOrder
    private let most: Int
    private var sorted: RowBatch?
    private var position = 0

    /// Few matches are sorted together with many: sorting again after each batch costs more.
    private static let fewestSorted = 4096

    /// - Parameter most: how many of the first matches are wanted; no more than twice as many, and a few
    ///   thousand, are held at a time. `nil` if all are wanted.
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
        // Not a slice, which would keep the memory of the others.
        return RowBatch(sorted.rowIndices.prefix(most).lazy.map { sorted[row: $0] })
    }
}
