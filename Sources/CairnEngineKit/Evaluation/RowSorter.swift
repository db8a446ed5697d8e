import CairnModel
import CairnRows
import CairnStore
import Foundation

/// Sort keys compiled for packed rows. They have the same meaning as in ``ObjectSorter``.
///
/// The sorter follows relationships through its resolver. It is used by one thread at a time.
package final class RowSorter {
    let sorter: ObjectSorter<RowSource>
    let sorts: [BoundSort]
    private let layouts: RowLayouts

    /// Compiles the sort keys, the most significant first.
    ///
    /// - Parameters:
    ///   - sorts: the sort keys, bound to an entity of the model.
    ///   - layouts: the layouts of the rows that are sorted.
    ///   - resolver: finds the rows that relationships lead to.
    package init(_ sorts: [BoundSort], layouts: RowLayouts, resolver: any RowResolver) {
        self.sorts = sorts
        self.layouts = layouts
        sorter = ObjectSorter(sorts, source: RowSource(layouts: layouts, resolver: resolver))
    }

    /// Returns the row's key, which can be compared with other keys of this sorter. For merging.
    ///
    /// - Throws: the errors of the resolver.
    package func key(of row: Row) throws(StoreError) -> SortKey { try sorter.key(of: row) }

    /// Returns the rows of the batch in sorted order.
    ///
    /// Each key is read once. Then pairs of key and index are sorted.
    ///
    /// - Throws: the errors of the resolver.
    package func sorted(_ batch: RowBatch) throws(StoreError) -> RowBatch {
        batch.selecting(try sortedIndices(of: batch))
    }

    private func sortedIndices(of batch: RowBatch) throws(StoreError) -> [Int] {
        var table = SortTable(count: batch.count)
        for (index, sort) in sorts.enumerated() {
            if index == 0, let first = slotEntries(sort, batch) {
                table = SortTable(first)
                if let decision = decision(sort, batch) { table.add(decision) }
            } else if index == 0 {
                table = SortTable(try sorter.parts(0, batch.count) { batch[row: $0] })
            } else if let decision = decision(sort, batch) {
                table.add(decision)
            } else {
                table.add(try sorter.parts(index, batch.count) { batch[row: $0] })
            }
        }
        return table.sortedIndices { batch.id(at: $0) }
    }

    // MARK: Keys in the rows

    /// Returns the type and the slots of the attribute to sort by, or `nil` if the sort key is not
    /// an attribute of the row itself.
    func slots(_ sort: BoundSort) -> (type: AttributeType, slots: SlotTable)? {
        guard case .attribute(let attribute) = sort.path.leaf, sort.path.relationships.isEmpty,
            sort.path.start == .evaluatedObject, sort.path.collectionOperator == nil
        else { return nil }
        return (
            attribute.type, SlotTable(attribute.entity, slot: attribute.rowSlot, layouts)
        )
    }

    /// Returns the keys, read directly from a slot. Returns `nil` if the sort key is of another
    /// kind.
    func slotEntries(_ sort: BoundSort, _ batch: RowBatch) -> [SortTable.Entry]? {
        guard let (type, slots) = slots(sort) else { return nil }
        switch type {
        case .integer16, .integer32, .integer64:
            return entries(sort, slots, batch) { UInt64(bitPattern: $0.integer($1)) ^ 1 << 63 }
        case .double, .date:
            return entries(sort, slots, batch) { SortPart.ordered($0.double($1)) }
        case .float:
            return entries(sort, slots, batch) { SortPart.ordered(Double($0.float($1))) }
        case .boolean:
            return entries(sort, slots, batch) { $0.number($1, as: UInt8.self) == 0 ? 0 : 1 }
        case .string where sort.textOrder == .scalars:
            return entries(sort, slots, batch) { SortPart.prefix($0.unsafeBytes($1)) }
        default: return nil
        }
    }

    @inline(__always) private func entries(
        _ sort: BoundSort, _ slots: SlotTable, _ batch: RowBatch,
        _ key: (RowPointer, RowLayout.Slot) -> UInt64
    ) -> [SortTable.Entry] {
        var entries: [SortTable.Entry] = []
        entries.reserveCapacity(batch.count)
        let flip = sort.isAscending ? 0 : UInt64.max
        let (ofNull, ofValue): (UInt32, UInt32) = sort.isAscending ? (0, 1) : (1, 0)
        for index in batch.rowIndices {
            let row = batch.pointer(at: index)
            let number = UInt32(truncatingIfNeeded: index)
            if let slot = slots.slot(for: row), !row.isNull(slot) {
                entries.append(
                    SortTable.Entry(rank: ofValue, index: number, prefix: key(row, slot) ^ flip))
            } else {
                entries.append(SortTable.Entry(rank: ofNull, index: number, prefix: 0))
            }
        }
        return entries
    }

    /// Returns a function that compares strings directly in their slabs, or `nil` if the sort key
    /// is not a string in a slab.
    private func decision(_ sort: BoundSort, _ batch: RowBatch) -> SortTable.Decision? {
        guard let (type, slots) = slots(sort), type == .string, sort.textOrder == .scalars else {
            return nil
        }
        return { left, right in
            let order = Self.textOrder(batch.pointer(at: left), batch.pointer(at: right), slots)
            return sort.isAscending ? order : -order
        }
    }

    static func textOrder(_ left: RowPointer, _ right: RowPointer, _ slots: SlotTable) -> Int {
        func text(_ row: RowPointer) -> UnsafeRawBufferPointer? {
            guard let slot = slots.slot(for: row), !row.isNull(slot) else { return nil }
            return row.unsafeBytes(slot)
        }
        return switch (text(left), text(right)) {
        case (let left?, let right?): PredicateText.order(left, right)
        case (nil, nil): 0
        case (nil, _?): -1
        case (_?, nil): 1
        }
    }
}

/// Keys and comparisons for merging sorted batches.
extension RowSorter {
    /// Compares two rows without their IDs. The result is negative, zero or positive if the first
    /// row comes before, together with or after the second.
    typealias Comparison = (RowPointer, RowPointer) -> Int

    /// Returns the first key of each row as a number, which is enough to order most rows.
    func leadingKeys(of batch: RowBatch) throws(StoreError) -> [SortTable.Entry] {
        guard let sort = sorts.first else {
            return batch.rowIndices.map {
                SortTable.Entry(rank: 0, index: UInt32(truncatingIfNeeded: $0), prefix: 0)
            }
        }
        if let entries = slotEntries(sort, batch) { return entries }
        return SortTable.entries(try sorter.parts(0, batch.count) { batch[row: $0] })
    }

    /// Compares rows directly in their slabs. The rows may belong to different stores. `nil` if a
    /// sort key is not a number or text in the row itself.
    var comparison: Comparison? {
        var comparisons: [Comparison] = []
        for sort in sorts {
            guard let comparison = comparison(sort) else { return nil }
            comparisons.append(comparison)
        }
        // The leading key of a number is complete, so there is nothing left to compare.
        if comparisons.count == 1, slots(sorts[0])?.type != .string { return { _, _ in 0 } }
        return { [comparisons] left, right in
            for comparison in comparisons {
                let order = comparison(left, right)
                if order != 0 { return order }
            }
            return 0
        }
    }

    private func comparison(_ sort: BoundSort) -> Comparison? {
        guard let (type, slots) = slots(sort) else { return nil }
        let isAscending = sort.isAscending
        if type == .string {
            guard sort.textOrder == .scalars else { return nil }
            return { left, right in
                let order = Self.textOrder(left, right, slots)
                return isAscending ? order : -order
            }
        }
        guard let number = Self.number(type) else { return nil }
        func key(_ row: RowPointer) -> UInt64? {
            guard let slot = slots.slot(for: row), !row.isNull(slot) else { return nil }
            return number(row, slot)
        }
        return { left, right in
            let (left, right) = isAscending ? (key(left), key(right)) : (key(right), key(left))
            switch (left, right) {
            case (let left?, let right?): return left == right ? 0 : left < right ? -1 : 1
            case (nil, nil): return 0
            case (nil, _?): return -1
            case (_?, nil): return 1
            }
        }
    }

    /// Returns a function that reads a value as a number with the same order, or `nil` if numbers
    /// cannot express the order of such values.
    private static func number(
        _ type: AttributeType
    ) -> ((RowPointer, RowLayout.Slot) -> UInt64)? {
        switch type {
        case .integer16, .integer32, .integer64: { UInt64(bitPattern: $0.integer($1)) ^ 1 << 63 }
        case .double, .date: { SortPart.ordered($0.double($1)) }
        case .float: { SortPart.ordered(Double($0.float($1))) }
        case .boolean: { $0.number($1, as: UInt8.self) == 0 ? 0 : 1 }
        default: nil
        }
    }
}
