import CairnRows

/// A value in a packed row. It is valid only while the row is being read.
public struct PackedValue {
    @usableFromInline let values: RowPointer
    @usableFromInline let slot: RowLayout.Slot

    @inlinable init(values: RowPointer, slot: RowLayout.Slot) {
        self.values = values
        self.slot = slot
    }

    /// Returns the number. `type` must have as many bits as the slot.
    @inlinable @inline(__always)
    func number<Number: FixedWidthInteger & BitwiseCopyable>(as type: Number.Type) -> Number {
        values.number(slot, as: type)
    }

    @inlinable @inline(__always) var double: Double { values.double(slot) }
    @inlinable @inline(__always) var float: Float { values.float(slot) }
    /// A new string with the row's bytes.
    @inlinable var string: String { values.string(slot) }
}
