import CairnModel

/// The values of a row, read where they stand: for who keeps the row itself alive.
///
/// The accessors do not check for nil or kind, as those of ``Row``.
@frozen @usableFromInline package struct RowPointer: BitwiseCopyable {
    @usableFromInline let bytes: UnsafeRawPointer

    @inlinable init(_ bytes: UnsafeRawPointer) { self.bytes = bytes }

    /// Whether the value is nil.
    @inlinable @inline(__always) package func isNull(_ slot: RowLayout.Slot) -> Bool {
        let word = RowLayout.headerByteCount + Int(slot.index) / 64 * 8
        return load(UInt64.self, at: word) >> UInt64(slot.index % 64) & 1 == 1
    }

    /// The number in a fixed slot.
    @inlinable @inline(__always) package func number<T: FixedWidthInteger & BitwiseCopyable>(
        _ slot: RowLayout.Slot, as type: T.Type = T.self
    ) -> T {
        load(type, at: Int(slot.offset))
    }

    /// The value of a double slot; of a date slot the seconds since 2001.
    @inlinable @inline(__always) package func double(_ slot: RowLayout.Slot) -> Double {
        Double(bitPattern: load(UInt64.self, at: Int(slot.offset)))
    }

    /// The destination of a to-one slot, in that store where its key is positive.
    @inlinable @inline(__always) package func objectID(
        _ slot: RowLayout.Slot, in store: StoreNumber
    ) -> ObjectID {
        ObjectID(
            store: store, rootEntity: slot.destinationRoot,
            entity: EntityNumber(load(UInt16.self, at: Int(slot.offset) + 8)),
            key: load(Int64.self, at: Int(slot.offset)))
    }

    /// The text of a string slot.
    @inlinable package func string(_ slot: RowLayout.Slot) -> String {
        let end = Int(load(UInt32.self, at: Int(slot.offset)))
        let start = slot.variableIndex == 0 ? 0 : Int(load(UInt32.self, at: Int(slot.offset) - 4))
        return String(
            decoding: UnsafeRawBufferPointer(
                start: bytes + Int(slot.payloadOffset) + start, count: end - start),
            as: UTF8.self)
    }

    @inlinable @inline(__always) func load<T: FixedWidthInteger & BitwiseCopyable>(
        _ type: T.Type, at offset: Int
    ) -> T {
        T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
    }
}
