import CairnModel
import CairnRows
import CairnStore

/// Keys and comparisons for merging sorted batches.
extension RowSorter {
    /// Compares two rows without their IDs. The result is negative, zero or positive if the first
    /// row comes before, together with or after the second.
    typealias Comparison = (RowPointer, RowPointer) -> Int

    /// Returns the first key of each row as a number, which is enough to order most rows.
    ///
    /// - Throws: the errors of the resolver.
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
