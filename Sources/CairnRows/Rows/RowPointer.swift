import CairnModel

/// An unowned pointer to the bytes of a row, for code that keeps the row itself alive.
///
/// Like those of ``Row``, the accessors check neither for `nil` nor for the kind of the slot.
@frozen @usableFromInline package struct RowPointer: BitwiseCopyable {
    @usableFromInline let bytes: UnsafeRawPointer

    /// - Precondition: the bytes are those of a row that was checked by ``RowLayouts/check(_:)``.
    @inlinable package init(_ bytes: UnsafeRawPointer) { self.bytes = bytes }

    /// The length of the row in bytes.
    @inlinable @inline(__always) package var byteCount: Int { Int(load(UInt32.self, at: 0)) }
    /// The bytes of the whole row.
    @inlinable @inline(__always) package var allBytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: bytes, count: byteCount)
    }
    /// The root entity of the concrete entity's inheritance hierarchy.
    @inlinable @inline(__always) package var rootEntity: EntityNumber {
        EntityNumber(load(UInt16.self, at: 6))
    }
    /// The object's key, which is unique in the root entity's hierarchy.
    @inlinable @inline(__always) package var key: Int64 { load(Int64.self, at: 8) }
    /// The version of the object, which increases by 1 with each save that changes the object.
    @inlinable @inline(__always) package var version: Int64 { load(Int64.self, at: 16) }
    /// The concrete entity.
    @inlinable @inline(__always) package var entity: EntityNumber {
        EntityNumber(load(UInt16.self, at: 4))
    }

    /// Returns whether the value is `nil`.
    @inlinable @inline(__always) package func isNull(_ slot: RowLayout.Slot) -> Bool {
        let word = RowLayout.headerByteCount + Int(slot.index) / 64 * 8
        return load(UInt64.self, at: word) >> UInt64(slot.index % 64) & 1 == 1
    }

    /// Returns the number in a fixed slot.
    @inlinable @inline(__always) package func number<T: FixedWidthInteger & BitwiseCopyable>(
        _ slot: RowLayout.Slot, as type: T.Type = T.self
    ) -> T {
        load(type, at: Int(slot.offset))
    }

    /// Returns the value of a double slot, or the seconds since 2001 of a date slot.
    @inlinable @inline(__always) package func double(_ slot: RowLayout.Slot) -> Double {
        Double(bitPattern: load(UInt64.self, at: Int(slot.offset)))
    }

    /// Returns the destination of a to-one slot, as an ID in the given store.
    @inlinable @inline(__always) package func objectID(
        _ slot: RowLayout.Slot, in store: StoreNumber
    ) -> ObjectID {
        ObjectID(
            store: store, rootEntity: slot.destinationRoot,
            entity: EntityNumber(load(UInt16.self, at: Int(slot.offset) + 8)),
            key: load(Int64.self, at: Int(slot.offset)))
    }

    /// Returns the number in an integer slot of any width.
    @inlinable @inline(__always) package func integer(_ slot: RowLayout.Slot) -> Int64 {
        // Load the eight bytes that end with the number. The bytes before it belong to the row too,
        // because every row begins with a header.
        load(Int64.self, at: Int(slot.offset) - Int(slot.code / 8)) >> Int64(slot.code)
    }

    /// Returns the value of a float slot.
    @inlinable @inline(__always) package func float(_ slot: RowLayout.Slot) -> Float {
        Float(bitPattern: load(UInt32.self, at: Int(slot.offset)))
    }

    /// Returns the bytes of a variable slot.
    @inlinable package func unsafeBytes(_ slot: RowLayout.Slot) -> UnsafeRawBufferPointer {
        let end = Int(load(UInt32.self, at: Int(slot.offset)))
        let start = slot.variableIndex == 0 ? 0 : Int(load(UInt32.self, at: Int(slot.offset) - 4))
        return UnsafeRawBufferPointer(
            start: bytes + Int(slot.payloadOffset) + start, count: end - start)
    }

    /// Returns the text of a string slot.
    @inlinable package func string(_ slot: RowLayout.Slot) -> String {
        String(decoding: unsafeBytes(slot), as: UTF8.self)
    }

    @inlinable @inline(__always) func load<T: FixedWidthInteger & BitwiseCopyable>(
        _ type: T.Type, at offset: Int
    ) -> T {
        T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
    }
}
