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

/// A cursor that returns the matches between a plan's offset and limit, in the plan's order, for an
/// engine that finds matches in another order.
///
/// The engine then returns only the wanted matches, instead of all matches for the coordinator to
/// sort.
package final class FirstMatchesCursor: RowCursor {
    package let completed = CompletedStages()
    private let page: PagingCursor
    private let output: FetchPlan.Output

    /// - Parameters:
    ///   - matches: rows that fulfil the plan's whole predicate.
    ///   - plan: the fetch, whose sort keys, offset and limit are applied.
    ///   - snapshot: the snapshot that the rows were read from. Relationships are followed in it.
    ///   - layouts: the layouts of the rows.
    package init(
        _ matches: any RowCursor, of plan: FetchPlan, snapshot: any StoreSnapshot,
        layouts: RowLayouts
    ) {
        let sorted = SortingCursor(
            matches, order: RowOrder(plan.sorts, snapshot: snapshot, layouts: layouts),
            atMost: plan.concernedCount)
        page = PagingCursor(sorted, offset: plan.offset, limit: plan.limit)
        output = plan.output
    }

    package func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        guard let batch = try page.next(atMost: count) else { return nil }
        return output == .rows ? batch : RowBatch(ids: batch.ids)
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
