import CairnModel

/// Writes one row where a ``RowWriter`` has room for it: a pointer and three numbers, which stay in
/// registers while the row is written.
///
/// For code that copies millions of rows and knows the columns beforehand: about half of what setting the
/// values with the writer costs, because a value's null bit is cleared in a register, and ends are
/// noted as the slots come. Every slot is set or skipped, in the order of slots.
@frozen @usableFromInline package struct RowPen {
    /// A slot, reduced to what a pen needs of it: its null bit and its offset.
    @frozen @usableFromInline package struct Slot: BitwiseCopyable, Sendable {
        @usableFromInline let nullBit: UInt64
        @usableFromInline let offset: UInt32

        /// - Precondition: the layout suits a pen.
        package init(_ slot: RowLayout.Slot) {
            nullBit = 1 << UInt64(slot.index)
            offset = slot.offset
        }
    }

    /// What a row begins as.
    @frozen @usableFromInline package struct Blank: Sendable {
        /// A row without any value, up to where variable bytes begin. Unsafe: the bytes belong to the
        /// layout, which never changes them. Whoever has the blank row holds the layout.
        @usableFromInline nonisolated(unsafe) let bytes: UnsafeRawPointer
        @usableFromInline let byteCount: Int
        /// The null bits of all slots.
        @usableFromInline let nulls: UInt64

        /// `nil` for a layout with more slots than one word has bits.
        package init?(_ layout: RowLayout) {
            guard layout.slots.count <= 64 else { return nil }
            bytes = UnsafeRawPointer(layout.blankBytes)
            byteCount = layout.blankRow.count
            nulls = layout.slots.isEmpty ? 0 : .max >> UInt64(64 - layout.slots.count)
        }
    }

    @usableFromInline let base: UnsafeMutableRawPointer
    @usableFromInline let room: Int
    @usableFromInline let payloadOffset: Int
    @usableFromInline var length: Int
    @usableFromInline var nulls: UInt64

    /// Begins a row. Returns `nil` if there is no room for its fixed part.
    @inlinable @inline(__always) init?(
        _ blank: Blank, at base: UnsafeMutableRawPointer, room: Int
    ) {
        guard blank.byteCount <= room else { return nil }
        base.copyMemory(from: blank.bytes, byteCount: blank.byteCount)
        self.base = base
        self.room = room
        payloadOffset = blank.byteCount
        length = blank.byteCount
        nulls = blank.nulls
    }

    /// Sets a fixed slot to a number of its width.
    @inlinable @inline(__always) package mutating func put<T: FixedWidthInteger & BitwiseCopyable>(
        _ value: T, at slot: Slot
    ) {
        (base + Int(slot.offset)).storeBytes(of: value.littleEndian, as: T.self)
        nulls &= ~slot.nullBit
    }

    /// Sets a to-one slot.
    @inlinable @inline(__always) package mutating func put(
        key: Int64, entity: EntityNumber, at slot: Slot
    ) {
        (base + Int(slot.offset) + 8).storeBytes(
            of: entity.rawValue.littleEndian, as: UInt16.self)
        put(key, at: slot)
    }

    /// Sets a variable slot. Returns `nil` if there is no room.
    ///
    /// Eight bytes at a time, the last eight at once with some before them: for texts of usual
    /// length that is faster than a call.
    ///
    /// - Returns: all bytes or-ed, eight by eight: where no byte's highest bit is set, it is ASCII.
    @inlinable @inline(__always) package mutating func put(
        bytes: UnsafeRawBufferPointer, at slot: Slot
    ) -> UInt64? {
        let count = bytes.count
        guard count <= room - length else { return nil }
        var bits: UInt64 = 0
        if let source = bytes.baseAddress {
            let target = base + length
            if count >= 8 {
                var done = 0
                repeat {
                    let word = source.loadUnaligned(fromByteOffset: done, as: UInt64.self)
                    target.storeBytes(of: word, toByteOffset: done, as: UInt64.self)
                    bits |= word
                    done &+= 8
                } while done < count &- 8
                let word = source.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
                target.storeBytes(of: word, toByteOffset: count &- 8, as: UInt64.self)
                bits |= word
            } else {
                for index in 0..<count {
                    let byte = source.load(fromByteOffset: index, as: UInt8.self)
                    target.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
                    bits |= UInt64(byte)
                }
            }
        }
        length &+= count
        nulls &= ~slot.nullBit
        skip(at: slot)
        return bits
    }

    /// Leaves a variable slot nil.
    @inlinable @inline(__always) package mutating func skip(at slot: Slot) {
        (base + Int(slot.offset)).storeBytes(
            of: UInt32(truncatingIfNeeded: length - payloadOffset).littleEndian, as: UInt32.self)
    }

    /// Ends the row. Returns `nil` if there is no room for eight bytes after it.
    @inlinable @inline(__always) mutating func end(key: Int64, version: Int64) -> Int? {
        let byteCount = (length + 7) & ~7
        // Eight zero bytes at once; those too many are where the next row begins.
        guard length &+ 8 <= room else { return nil }
        base.storeBytes(of: 0, toByteOffset: length, as: UInt64.self)
        base.storeBytes(
            of: UInt32(truncatingIfNeeded: byteCount).littleEndian, as: UInt32.self)
        (base + 8).storeBytes(of: key.littleEndian, as: Int64.self)
        (base + 16).storeBytes(of: version.littleEndian, as: Int64.self)
        if payloadOffset > RowLayout.headerByteCount {
            (base + RowLayout.headerByteCount).storeBytes(
                of: nulls.littleEndian, as: UInt64.self)
        }
        return byteCount
    }
}

extension RowWriter {
    /// Adds a row that the body writes. Returns `false` if the body gives up or the row needs
    /// another slab: nothing was added then.
    ///
    /// - Precondition: no row is begun.
    @inlinable @inline(__always) package mutating func addRow(
        _ blank: RowPen.Blank, key: Int64, version: Int64, _ body: (inout RowPen) -> Bool
    ) -> Bool {
        guard var pen = RowPen(blank, at: base, room: room), body(&pen),
            let byteCount = pen.end(key: key, version: version)
        else { return false }
        addToBatch(byteCount)
        return true
    }
}
