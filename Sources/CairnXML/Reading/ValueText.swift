import CairnModel
import CairnRows
import Foundation

/// The text of an attribute in a file, from which a value is read. docs/formats/xml.md lists the forms.
struct ValueText {
    /// The text as UTF-8.
    let bytes: UnsafeBufferPointer<UInt8>
    /// Whether the text is the Base64 of the value's UTF-8.
    let isEncoded: Bool

    /// Sets a slot of the current row to the value.
    ///
    /// - Returns: `false` if the text does not represent a value of the slot's kind.
    /// - Throws: The errors of setting the slot.
    func write(
        to writer: inout RowWriter, at slot: RowLayout.Slot, of layout: RowLayout
    ) throws(RowError) -> Bool {
        switch slot.kind {
        case .boolean:
            guard bytes.count == 1, bytes[0] == UInt8(ascii: "0") || bytes[0] == UInt8(ascii: "1")
            else { return false }
            writer.set(bytes[0] == UInt8(ascii: "1"), at: slot)
        case .int16, .int32, .int64: return write(integerTo: &writer, at: slot)
        case .double, .date:
            guard let value = Digits.double(bytes) else { return false }
            writer.set(value, at: slot)
        case .string where !isEncoded:
            try writer.set(bytes: UnsafeRawBufferPointer(bytes), at: slot)
        default:
            guard let value = value(of: slot.kind) else { return false }
            try writer.set(value, at: slot, of: layout)
        }
        return true
    }

    private func write(integerTo writer: inout RowWriter, at slot: RowLayout.Slot) -> Bool {
        guard let number = Digits.int64(bytes) else { return false }
        switch slot.kind {
        case .int16:
            guard let value = Int16(exactly: number) else { return false }
            writer.set(value, at: slot)
        case .int32:
            guard let value = Int32(exactly: number) else { return false }
            writer.set(value, at: slot)
        default: writer.set(number, at: slot)
        }
        return true
    }

    /// Returns a value of a kind that is parsed from a string.
    private func value(of kind: RowLayout.Kind) -> Value? {
        let text = String(decoding: bytes, as: UTF8.self)
        switch kind {
        case .float: return Float(text).map(Value.float)
        case .decimal: return Self.decimal(text)
        case .uuid: return UUID(uuidString: text).map(Value.uuid)
        case .string: return decoded(text).map(Value.string)
        case .uri: return decoded(text).flatMap { URL(string: $0) }.map(Value.uri)
        case .binary, .externalBinary: return Base64.decode(text).map(Value.binary)
        case .transformable: return Base64.decode(text).map(Value.transformable)
        case .composite:
            return Base64.decode(text).flatMap { CompositeCodec.decode($0) }.map(Value.composite)
        default: return nil
        }
    }

    /// Checks the characters first, because Foundation would accept a text that only starts with a number.
    private static func decimal(_ text: String) -> Value? {
        if text == "NaN" { return .decimal(.nan) }
        let digits = Set("0123456789+-.eE".utf8)
        guard !text.isEmpty, text.utf8.allSatisfy(digits.contains) else { return nil }
        return Decimal(string: text).map(Value.decimal)
    }

    private func decoded(_ text: String) -> String? {
        guard isEncoded else { return text }
        return Base64.decode(text).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
