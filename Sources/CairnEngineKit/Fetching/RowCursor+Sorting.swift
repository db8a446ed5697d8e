import CairnModel
import CairnRows
import CairnStore

extension RowCursor {
    /// Returns a cursor that sorts the matches. It reads all of them before it returns the first.
    ///
    /// - Parameters:
    ///   - order: the order in which the cursor returns the matches.
    ///   - most: how many of the first matches are wanted. If `nil`, all are wanted. Otherwise no
    ///     more than twice as many matches, or a few thousand, are held at a time.
    package func sorted(by order: RowOrder, atMost most: Int?) -> any RowCursor {
        var sorted: RowBatch?
        var position = 0
        return BatchCursor(of: self) { count throws(StoreError) in
            let all =
                if let sorted { sorted } else {
                    try order.firstMatches(of: self, atMost: max(0, most ?? .max), reading: count)
                }
            sorted = all
            let end = position + min(count, all.count - position)
            guard position < end else { return nil }
            defer { position = end }
            return all.slice(position..<end)
        }
    }
}

extension RowOrder {
    /// Sorting after each small batch would cost more than sorting many matches together.
    private static let fewestSorted = 4096

    fileprivate func firstMatches(
        of cursor: any RowCursor, atMost most: Int, reading count: Int
    ) throws(StoreError) -> RowBatch {
        var all = RowBatch()
        let (twice, overflows) = most.multipliedReportingOverflow(by: 2)
        let fullCount = overflows ? .max : max(twice, Self.fewestSorted)
        while let batch = try cursor.next(atMost: count) {
            all.append(batch)
            if all.count > fullCount { all = try firstMatches(of: all, atMost: most) }
        }
        return try firstMatches(of: all, atMost: most)
    }

    private func firstMatches(
        of batch: RowBatch, atMost most: Int
    ) throws(StoreError) -> RowBatch {
        let sorted = try sorted(batch)
        if sorted.count <= most { return sorted }
        // Copies the rows: a slice would keep the memory of the other matches.
        return RowBatch(sorted.rowIndices.prefix(most).lazy.map { sorted[row: $0] })
    }
}

extension FetchPlan {
    /// Whether every object of the entity matches, in any order.
    package var asksForAll: Bool {
        predicate == nil && sorts.isEmpty && offset <= 0 && limit == nil
    }

    /// The number of leading matches that are skipped or returned, or `nil` if there is no limit.
    package var concernedCount: Int? {
        guard let limit else { return nil }
        let (sum, overflows) = max(0, limit).addingReportingOverflow(max(0, offset))
        return overflows ? nil : sum
    }
}
