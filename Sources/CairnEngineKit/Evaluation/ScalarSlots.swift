import CairnRows

/// The kinds of slots whose values can be loaded as numbers.
enum ScalarSlots {
    enum Int16Slot: ScalarSlot {
        @inline(__always) static func load(_ row: RowPointer, _ slot: RowLayout.Slot) -> Int64 {
            Int64(row.number(slot, as: Int16.self))
        }
    }

    enum Int32Slot: ScalarSlot {
        @inline(__always) static func load(_ row: RowPointer, _ slot: RowLayout.Slot) -> Int64 {
            Int64(row.number(slot, as: Int32.self))
        }
    }

    enum Int64Slot: ScalarSlot {
        @inline(__always) static func load(_ row: RowPointer, _ slot: RowLayout.Slot) -> Int64 {
            row.number(slot)
        }
    }

    enum BooleanSlot: ScalarSlot {
        @inline(__always) static func load(_ row: RowPointer, _ slot: RowLayout.Slot) -> Int64 {
            row.number(slot, as: UInt8.self) == 0 ? 0 : 1
        }
    }

    /// Orders NaN before every number, and −0 equal to 0.
    enum DoubleSlot: ScalarSlot {
        @inline(__always) static func load(_ row: RowPointer, _ slot: RowLayout.Slot) -> UInt64 {
            SortPart.ordered(row.double(slot))
        }
    }

    enum FloatSlot: ScalarSlot {
        @inline(__always) static func load(_ row: RowPointer, _ slot: RowLayout.Slot) -> UInt64 {
            SortPart.ordered(Double(row.float(slot)))
        }
    }
}
