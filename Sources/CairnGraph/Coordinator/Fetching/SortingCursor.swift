import CairnModel
import CairnStore

/// The matches of a cursor in the plan's order. Reads them all before it returns the first.
final class SortingCursor: RowCursor {
    let completed = CompletedStages()
    private let source: any RowCursor
    private let order: RowOrder
    private var sorted: RowBatch?
    private var position = 0

    init(_ source: any RowCursor, order: RowOrder) {
        self.source = source
        self.order = order
    }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        let all = try readAll(atMost: count)
        let end = position + min(count, all.count - position)
        guard position < end else { return nil }
        defer { position = end }
        return all.slice(position..<end)
    }

    private func readAll(atMost count: Int) throws(StoreError) -> RowBatch {
        if let sorted { return sorted }
        var all = RowBatch()
        while let batch = try source.next(atMost: count) { all.append(batch) }
        let result = try order.sorted(all)
        sorted = result
        return result
    }
}
