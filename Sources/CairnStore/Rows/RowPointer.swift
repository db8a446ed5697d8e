import CairnModel

/// The values of a row, read where they stand: for code that keeps the row itself alive.
///
/// The accessors do not check for nil or kind, as those of ``Row``.
@frozen @usableFromInline package struct RowPointer: BitwiseCopyable {
    @usableFromInline let bytes: UnsafeRawPointer

    /// - Precondition: the bytes are those of a row, checked by ``RowLayouts/check(_:)``.
    @inlinable package init(_ bytes: UnsafeRawPointer) { self.bytes = bytes }

    /// Bytes of the whole row.
    @inlinable @inline(__always) package var byteCount: Int { Int(load(UInt32.self, at: 0)) }
    /// The bytes of the whole row.
    @inlinable @inline(__always) package var allBytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: bytes, count: byteCount)
    }
    /// The root of the concrete entity's inheritance tree.
    @inlinable @inline(__always) package var rootEntity: EntityNumber {
        EntityNumber(load(UInt16.self, at: 6))
    }
    /// Unique in the root entity's hierarchy.
    @inlinable @inline(__always) package var key: Int64 { load(Int64.self, at: 8) }
    /// Grows by 1 with each save that changes the object.
    @inlinable @inline(__always) package var version: Int64 { load(Int64.self, at: 16) }
    /// The concrete entity.
    @inlinable @inline(__always) package var entity: EntityNumber {
        EntityNumber(load(UInt16.self, at: 4))
    }

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

    /// The number in an integer slot of any width.
    @inlinable @inline(__always) package func integer(_ slot: RowLayout.Slot) -> Int64 {
        // The eight bytes that end with the number: what is before them is at least a row's header.
        load(Int64.self, at: Int(slot.offset) - Int(slot.code / 8)) >> Int64(slot.code)
    }

    /// The value of a float slot.
    @inlinable @inline(__always) package func float(_ slot: RowLayout.Slot) -> Float {
        Float(bitPattern: load(UInt32.self, at: Int(slot.offset)))
    }

    /// The bytes of a variable slot.
    @inlinable package func unsafeBytes(_ slot: RowLayout.Slot) -> UnsafeRawBufferPointer {
        let end = Int(load(UInt32.self, at: Int(slot.offset)))
        let start = slot.variableIndex == 0 ? 0 : Int(load(UInt32.self, at: Int(slot.offset) - 4))
        return UnsafeRawBufferPointer(
            start: bytes + Int(slot.payloadOffset) + start, count: end - start)
    }

    /// The text of a string slot.
    @inlinable package func string(_ slot: RowLayout.Slot) -> String {
        String(decoding: unsafeBytes(slot), as: UTF8.self)
    }

    @inlinable @inline(__always) func load<T: FixedWidthInteger & BitwiseCopyable>(
        _ type: T.Type, at offset: Int
    ) -> T {
        T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
    }
}
