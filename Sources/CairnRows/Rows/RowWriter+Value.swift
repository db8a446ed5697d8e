import CairnModel
import Foundation

extension RowWriter {
    /// Sets a slot to a value in its general form. `nil` leaves the slot `nil`.
    ///
    /// - Precondition: no later variable slot of this row has been set.
    /// - Throws: `.wrongType`, `.tooLarge`.
    @inlinable public mutating func set(
        _ value: Value, at slot: RowLayout.Slot, of layout: RowLayout
    ) throws(RowError) {
        // Switch over the value alone: a switch over the value and the kind would copy the value,
        // which counts references.
        switch value {
        case .null: break
        case .string(let value) where slot.kind == .string: try set(value, at: slot)
        case .boolean(let value) where slot.kind == .boolean: set(value, at: slot)
        case .integer(let value) where slot.kind == .int64: set(value, at: slot)
        case .integer(let value) where slot.kind == .int32 && Int32(exactly: value) != nil:
            set(Int32(truncatingIfNeeded: value), at: slot)
        case .integer(let value) where slot.kind == .int16 && Int16(exactly: value) != nil:
            set(Int16(truncatingIfNeeded: value), at: slot)
        case .float(let value) where slot.kind == .float: set(value, at: slot)
        case .double(let value) where slot.kind == .double: set(value, at: slot)
        case .date(let value) where slot.kind == .date:
            set(value.timeIntervalSinceReferenceDate, at: slot)
        case .decimal(let value) where slot.kind == .decimal: set(value, at: slot)
        case .uuid(let value) where slot.kind == .uuid: set(value, at: slot)
        case .objectID(let value) where slot.kind == .toOne:
            set(key: value.key, entity: value.entity, at: slot)
        default: try setVariable(value, at: slot, of: layout)
        }
    }

    @usableFromInline mutating func setVariable(
        _ value: Value, at slot: RowLayout.Slot, of layout: RowLayout
    ) throws(RowError) {
        switch (value, slot.kind) {
        case (.uri(let value), .uri): try set(value.absoluteString, at: slot)
        case (.binary(let value), .binary), (.transformable(let value), .transformable):
            try set(value, at: slot)
        case (.binary(let value), .externalBinary): try set(.inline(value), at: slot)
        case (.composite(let value), .composite) where CompositeCodec.canEncode(value):
            try set(CompositeCodec.encode(value), at: slot)
        default:
            throw .wrongType(
                entity: layout.entity.name, property: layout.properties[Int(slot.index)].name,
                expected: "\(slot.kind)")
        }
    }
}

/// Methods that write bytes into the current row.
extension RowWriter {
    @inlinable @inline(__always) mutating func put<T: FixedWidthInteger & BitwiseCopyable>(
        _ value: T, _ slot: RowLayout.Slot
    ) {
        store(value, at: Int(slot.offset))
        clearNull(slot)
    }

    @inlinable @inline(__always) mutating func clearNull(_ slot: RowLayout.Slot) {
        let word = RowLayout.headerByteCount + Int(slot.index) / 64 * 8
        let bits = UInt64(littleEndian: (base + word).loadUnaligned(as: UInt64.self))
        store(bits & ~(1 << UInt64(slot.index % 64)), at: word)
    }

    @inlinable @inline(__always) func store<T: FixedWidthInteger & BitwiseCopyable>(
        _ value: T, at offset: Int
    ) {
        (base + offset).storeBytes(of: value.littleEndian, as: T.self)
    }

    /// Records the ends of the variable slots before `count`. Slots that were skipped are empty.
    @inlinable @inline(__always) mutating func noteEnds(upTo count: Int) {
        while nextVariable < count {
            store(
                UInt32(truncatingIfNeeded: length - payloadOffset),
                at: endsOffset + 4 * nextVariable)
            nextVariable += 1
        }
    }

    /// Makes room for `more` additional bytes.
    @inlinable @inline(__always) mutating func reserve(_ more: Int) {
        if length + more > room { moveToNewSlab(for: more) }
    }
}
