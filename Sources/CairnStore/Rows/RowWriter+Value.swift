import CairnModel
import Foundation

extension RowWriter {
    /// Sets a slot to a value in its general form; nil leaves it nil.
    ///
    /// - Precondition: no later variable slot of this row was set.
    /// - Throws: `.wrongType`, `.tooLarge`.
    @inlinable public mutating func set(
        _ value: Value, at slot: RowLayout.Slot, of layout: RowLayout
    ) throws(RowError) {
        switch (value, slot.kind) {
        case (.null, _): break
        case (.string(let value), .string): try set(value, at: slot)
        case (.boolean(let value), .boolean): set(value, at: slot)
        case (.integer(let value), .int64): set(value, at: slot)
        case (.integer(let value), .int32) where Int32(exactly: value) != nil:
            set(Int32(truncatingIfNeeded: value), at: slot)
        case (.integer(let value), .int16) where Int16(exactly: value) != nil:
            set(Int16(truncatingIfNeeded: value), at: slot)
        case (.float(let value), .float): set(value, at: slot)
        case (.double(let value), .double): set(value, at: slot)
        case (.date(let value), .date): set(value.timeIntervalSinceReferenceDate, at: slot)
        case (.decimal(let value), .decimal): set(value, at: slot)
        case (.uuid(let value), .uuid): set(value, at: slot)
        case (.objectID(let value), .toOne):
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
