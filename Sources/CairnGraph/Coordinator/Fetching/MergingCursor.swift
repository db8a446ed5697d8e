import CairnModel
import CairnStore

/// The matches of several sorted cursors as one sorted answer, read from them as it goes.
final class MergingCursor: RowCursor {
    /// A sorted cursor and the part of it that was read.
    private struct Source {
        let cursor: any RowCursor
        let order: RowOrder
        var batch = RowBatch()
        var keys: [SortKey] = []
        /// The place in `batch` of the next row.
        var position = 0
        /// Where `batch` begins among the rows of the answer under way.
        var base = 0

        var key: SortKey? { position < keys.count ? keys[position] : nil }

        /// Reads on where the batch is used up.
        mutating func refill(atMost count: Int) throws(StoreError) -> Bool {
            guard position == batch.count, let next = try cursor.next(atMost: count) else {
                return false
            }
            keys = try order.keys(of: next)
            batch = next
            position = 0
            return true
        }
    }

    let completed = CompletedStages()
    private var sources: [Source]

    init(_ sources: [(cursor: any RowCursor, order: RowOrder)]) {
        self.sources = sources.map { Source(cursor: $0.cursor, order: $0.order) }
    }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        var pool = RowBatch()
        var places: [Int] = []
        for index in sources.indices {
            _ = try sources[index].refill(atMost: count)
            addToPool(index, &pool)
        }
        while places.count < count, let index = indexOfFirst() {
            places.append(sources[index].base + sources[index].position)
            sources[index].position += 1
            if try sources[index].refill(atMost: count) { addToPool(index, &pool) }
        }
        return places.isEmpty ? nil : pool.selecting(places)
    }

    private func addToPool(_ index: Int, _ pool: inout RowBatch) {
        sources[index].base = pool.count
        pool.append(sources[index].batch)
    }

    /// The source whose next row comes first; nil where all are at their end.
    private func indexOfFirst() -> Int? {
        var first: Int?
        var least: SortKey?
        for index in sources.indices {
            guard let key = sources[index].key else { continue }
            if let known = least, known < key { continue }
            first = index
            least = key
        }
        return first
    }
}
