import CairnModel
import Foundation

extension Row {
    /// Returns the value of a slot in its general form. Too slow for hot loops.
    ///
    /// For a value that is stored outside of the row, returns the name of its reference as
    /// `.string`. Call `externalBinary(_:)` if the slot may contain a reference.
    public func value(_ slot: RowLayout.Slot) -> Value {
        if isNull(slot) { return .null }
        return switch slot.kind {
        case .boolean: .boolean(boolean(slot))
        case .int16, .int32, .int64: .integer(integer(slot))
        case .float: .float(float(slot))
        case .double: .double(double(slot))
        case .date: .date(date(slot))
        case .decimal: .decimal(decimal(slot))
        case .uuid: .uuid(uuid(slot))
        case .toOne: .objectID(objectID(slot))
        case .string: .string(string(slot))
        case .uri: uri(slot)
        case .binary: .binary(data(slot))
        case .externalBinary:
            switch externalBinary(slot) {
            case .inline(let data): .binary(data)
            case .reference(let reference): .string(reference.name)
            }
        case .transformable: .transformable(data(slot))
        case .composite: .composite(CompositeCodec.decode(unsafeBytes(slot)) ?? [:])
        }
    }

    /// Returns `nil` for stored text that is not a valid URL.
    private func uri(_ slot: RowLayout.Slot) -> Value {
        URL(string: string(slot)).map(Value.uri) ?? .null
    }
}

extension Value {
    /// Returns whether an attribute's row slot can hold the value. Null always fits.
    package func fits(_ kind: RowLayout.Kind) -> Bool {
        switch (self, kind) {
        case (.integer(let value), .int16): Int16(exactly: value) != nil
        case (.integer(let value), .int32): Int32(exactly: value) != nil
        case (.null, _), (.boolean, .boolean), (.integer, .int64), (.double, .double),
            (.float, .float), (.decimal, .decimal), (.string, .string), (.date, .date),
            (.binary, .binary), (.binary, .externalBinary), (.uuid, .uuid), (.uri, .uri),
            (.transformable, .transformable), (.composite, .composite):
            kind != .toOne
        default: false
        }
    }
}
