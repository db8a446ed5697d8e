import CairnModel
import CairnRows
import CairnStore

/// Merges the sorted rows of several stores into one order, batch by batch.
///
/// Rows are compared by their leading keys, which are numbers that are read once for a whole batch.
/// Only rows with equal leading keys are compared further, directly in their slabs if possible, so
/// that no array is created for a row. docs/decisions/several-stores.md has measurements.
package struct RowMerge {
    private struct Source {
        let order: RowOrder
        let store: StoreNumber
        var batch = RowBatch()
        var keys: [SortTable.Entry] = []
        /// The index of the next row in the batch.
        var position = 0
        /// The number that the batch's first slab has in the answer. `nil` if the slabs have not
        /// been added yet.
        var firstSlab: UInt32?
        /// The complete key of a row, and the index of that row.
        var fullKey: SortKey?
        var fullKeyPosition = -1
        var isAtEnd = false
    }

    private var sources: ContiguousArray<Source>
    /// The sources with a next row, and the leading key of that row.
    private var heads: ContiguousArray<(source: Int, key: SortTable.Entry)> = []
    private let comparison: RowSorter.Comparison?
    private var answer = RowBatch()

    /// - Parameter orders: the same order, compiled for the rows of each store.
    package init(_ orders: [(order: RowOrder, store: StoreNumber)]) {
        sources = ContiguousArray(orders.map { Source(order: $0.order, store: $0.store) })
        comparison = orders.first?.order.comparison
    }

    /// The index of a source that may have more rows and whose last batch is used up, or `nil` if
    /// there is no such source. Rows can only be taken if this is `nil`.
    package var nextToFill: Int? {
        sources.firstIndex { $0.position == $0.batch.count && !$0.isAtEnd }
    }

    /// Adds the next rows of a source.
    ///
    /// - Parameters:
    ///   - index: the index of the source, such as ``nextToFill``.
    ///   - batch: the rows, or `nil` if the source has no more rows.
    /// - Throws: the errors of following relationships.
    package mutating func fill(_ index: Int, with batch: RowBatch?) throws(StoreError) {
        guard let batch else {
            sources[index].isAtEnd = true
            return
        }
        sources[index].keys = try sources[index].order.leadingKeys(of: batch)
        sources[index].batch = batch
        sources[index].position = 0
        sources[index].fullKeyPosition = -1
        sources[index].firstSlab = nil
        if let key = sources[index].keys.first { heads.append((index, key)) }
    }

    /// Takes rows in order until the answer has `count` rows, or until a source's batch is used up.
    ///
    /// - Throws: the errors of following relationships.
    package mutating func take(upTo count: Int) throws(StoreError) {
        while answer.entries.count < count, !heads.isEmpty {
            var first = 0
            var other = 1
            while other < heads.count {
                if try precedes(other, first) { first = other }
                other += 1
            }
            if takeNext(of: first) { return }
        }
    }

    /// Returns the rows that were taken, or `nil` if there are no such rows.
    package mutating func takeAnswer() -> RowBatch? {
        if answer.isEmpty { return nil }
        for index in sources.indices { sources[index].firstSlab = nil }
        defer { answer = RowBatch() }
        return answer
    }

    /// The number of rows that were taken since the last ``takeAnswer()``.
    package var count: Int { answer.entries.count }

    /// Takes one row. Returns whether it was the last row of its batch.
    @inline(__always) private mutating func takeNext(of head: Int) -> Bool {
        let index = heads[head].source
        let entry = sources[index].batch.entries[sources[index].position]
        let firstSlab = sources[index].firstSlab ?? addSlabs(of: index)
        answer.entries.append(RowAddress(slab: firstSlab + entry.slab, offset: entry.offset))
        sources[index].position += 1
        guard sources[index].position < sources[index].keys.count else {
            heads.remove(at: head)
            return true
        }
        heads[head].key = sources[index].keys[sources[index].position]
        return false
    }

    private mutating func addSlabs(of index: Int) -> UInt32 {
        let first = UInt32(answer.slabs.count)
        answer.slabs += sources[index].batch.slabs
        sources[index].firstSlab = first
        return first
    }

    // MARK: Comparing

    @inline(__always) private mutating func precedes(
        _ left: Int, _ right: Int
    ) throws(StoreError) -> Bool {
        if heads[left].key.hasKey(of: heads[right].key) {
            return try decides(heads[left].source, heads[right].source)
        }
        return heads[left].key.hasKey(before: heads[right].key)
    }

    /// Returns whether the next row of one source comes before the next row of another. The leading
    /// keys of both are equal.
    private mutating func decides(_ left: Int, _ right: Int) throws(StoreError) -> Bool {
        guard let comparison else { return try fullKey(of: left) < fullKey(of: right) }
        let first = sources[left].batch.pointer(at: sources[left].position)
        let second = sources[right].batch.pointer(at: sources[right].position)
        let order = comparison(first, second)
        if order != 0 { return order < 0 }
        // The same order as `ValueOrder` defines for IDs.
        if first.rootEntity != second.rootEntity { return first.rootEntity < second.rootEntity }
        if first.key != second.key { return first.key < second.key }
        return sources[left].store.rawValue < sources[right].store.rawValue
    }

    private mutating func fullKey(of index: Int) throws(StoreError) -> SortKey {
        let position = sources[index].position
        if sources[index].fullKeyPosition == position, let known = sources[index].fullKey {
            return known
        }
        let key = try sources[index].order.key(of: sources[index].batch[row: position])
        sources[index].fullKey = key
        sources[index].fullKeyPosition = position
        return key
    }
}

/// A plan's order, compiled for the rows of one store.
///
/// It is used by one thread at a time.
package final class RowOrder {
    private let sorter: RowSorter
    private let paths: [BoundPath]
    private let resolver: SnapshotResolver

    /// - Parameters:
    ///   - sorts: the sort keys, the most significant first.
    ///   - snapshot: the snapshot that the rows were read from. Relationships are followed in it.
    ///   - layouts: the layouts of the rows.
    package init(_ sorts: [BoundSort], snapshot: any StoreSnapshot, layouts: RowLayouts) {
        resolver = SnapshotResolver(snapshot, layouts: layouts)
        sorter = RowSorter(sorts, layouts: layouts, resolver: resolver)
        paths = sorts.map(\.path)
    }

    /// Returns the rows in sorted order.
    package func sorted(_ batch: RowBatch) throws(StoreError) -> RowBatch {
        try resolver.prefetch(paths, for: batch)
        let sorted = try sorter.sorted(batch)
        resolver.forget()
        return sorted
    }

    /// Returns the leading key of each row, by index. Keeps the related rows that ``key(of:)``
    /// needs for these rows.
    func leadingKeys(of batch: RowBatch) throws(StoreError) -> [SortTable.Entry] {
        resolver.forget()
        try resolver.prefetch(paths, for: batch)
        return try sorter.leadingKeys(of: batch)
    }

    /// Compares rows with equal leading keys. The rows may belong to different stores. `nil` if the
    /// comparison needs more than the rows themselves.
    var comparison: RowSorter.Comparison? { sorter.comparison }

    /// Returns the row's complete key, which can be compared with keys of the same order on other
    /// stores.
    func key(of row: Row) throws(StoreError) -> SortKey { try sorter.key(of: row) }
}
