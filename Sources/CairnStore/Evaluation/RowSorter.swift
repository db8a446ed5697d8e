import CairnModel
import Foundation

/// Sort descriptors compiled for packed rows; means the same as ``ObjectSorter``.
///
/// Follows relationships through its resolver. Used by one thread at a time.
public final class RowSorter {
    private let sorter: ObjectSorter<RowSource>
    private let sorts: [BoundSort]
    private let layouts: RowLayouts

    /// Compiles the descriptors, the deciding one first.
    ///
    /// - Parameter resolver: asked for the rows that relationships lead to.
    public init(_ sorts: [BoundSort], layouts: RowLayouts, resolver: any RowResolver) {
        self.sorts = sorts
        self.layouts = layouts
        sorter = ObjectSorter(sorts, source: RowSource(layouts: layouts, resolver: resolver))
    }

    /// Returns the row's key, to be compared with others of this sorter: for merging.
    ///
    /// - Throws: what the resolver throws.
    public func key(of row: Row) throws(StoreError) -> SortKey { try sorter.key(of: row) }

    /// Returns the rows of the batch in order.
    ///
    /// - Throws: what the resolver throws.
    public func sorted(_ batch: RowBatch) throws(StoreError) -> RowBatch {
        batch.selecting(try sortedIndices(count: batch.rowIndices.count) { batch[row: $0] })
    }

    /// Returns the places of the rows in sorted order.
    ///
    /// Reads each key once, then sorts pairs of key and place.
    ///
    /// - Throws: what the resolver throws.
    public func sortedIndices(
        count: Int, object row: (Int) -> Row
    ) throws(StoreError) -> [Int] {
        var first = 0
        var table = SortTable(count: count)
        if let sort = sorts.first, let exact = exactEntries(sort, count, row) {
            table = SortTable(exact: exact)
            first = 1
        }
        for index in sorts.indices.dropFirst(first) {
            table.add(try sorter.parts(index, count, row), isFirst: index == 0)
        }
        return table.sortedPlaces { row($0).id }
    }

    /// Keys read straight from a slot of fixed size; nil where the descriptor is of another kind.
    private func exactEntries(
        _ sort: BoundSort, _ count: Int, _ row: (Int) -> Row
    ) -> [SortTable.Entry]? {
        guard case .attribute(let attribute) = sort.path.leaf, sort.path.relationships.isEmpty,
            sort.path.start == .evaluatedObject
        else { return nil }
        let slots = SlotTable(attribute.entity, slot: attribute.rowSlot, layouts)
        switch attribute.type {
        case .integer16, .integer32, .integer64:
            return entries(sort, slots, count, row) {
                UInt64(bitPattern: $0.integer($1)) ^ 1 << 63
            }
        case .double, .date:
            return entries(sort, slots, count, row) { SortPart.ordered($0.double($1)) }
        case .float:
            return entries(sort, slots, count, row) { SortPart.ordered(Double($0.float($1))) }
        case .boolean: return entries(sort, slots, count, row) { $0.boolean($1) ? 1 : 0 }
        default: return nil
        }
    }

    @inline(__always) private func entries(
        _ sort: BoundSort, _ slots: SlotTable, _ count: Int, _ row: (Int) -> Row,
        _ key: (Row, RowLayout.Slot) -> UInt64
    ) -> [SortTable.Entry] {
        var entries: [SortTable.Entry] = []
        entries.reserveCapacity(count)
        let flip = sort.isAscending ? 0 : UInt64.max
        for place in 0..<count {
            let row = row(place)
            var entry = SortTable.Entry(
                rank: sort.isAscending ? 0 : 1, place: UInt32(truncatingIfNeeded: place), prefix: 0)
            if let slot = slots.slot(for: row), !row.isNull(slot) {
                entry.rank = 1 - entry.rank
                entry.prefix = key(row, slot) ^ flip
            }
            entries.append(entry)
        }
        return entries
    }
}
