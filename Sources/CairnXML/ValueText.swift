import CairnModel
import CairnStore
import Foundation

/// Attribute values as the texts of a file, and back. docs/formats/xml.md lists the forms.
enum ValueText {
    /// A value's `type`, its text, and whether that is base 64 of the value's UTF-8.
    struct Form {
        var type: String
        var text: String
        var isEncoded = false
    }

    // MARK: Writing

    /// Returns the form of a slot's value that is not nil; nil where the form could not be read
    /// back equal.
    static func form(of row: Row, _ slot: RowLayout.Slot) -> Form? {
        switch slot.kind {
        case .boolean: Form(type: "bool", text: row.boolean(slot) ? "1" : "0")
        case .int16: Form(type: "int16", text: "\(row.int16(slot))")
        case .int32: Form(type: "int32", text: "\(row.int32(slot))")
        case .int64: Form(type: "int64", text: "\(row.int64(slot))")
        case .float: float(row.float(slot))
        case .double: double(row.double(slot), type: "double")
        case .date: date(row.double(slot))
        case .decimal: decimal(row.decimal(slot))
        case .uuid: Form(type: "uuid", text: row.uuid(slot).uuidString)
        case .string: text(row.unsafeBytes(slot), type: "string")
        case .uri: text(row.unsafeBytes(slot), type: "uri")
        case .binary, .transformable: binary(row.data(slot), type: "binary")
        case .externalBinary: binary(row.data(slot).dropFirst(), type: "binary")
        case .composite: binary(row.data(slot), type: "composite")
        case .toOne: nil
        }
    }

    private static func float(_ value: Float) -> Form? {
        let text = value.description
        return Float(text)?.bitPattern == value.bitPattern ? Form(type: "float", text: text) : nil
    }

    private static func double(_ value: Double, type: String) -> Form? {
        let text = value.description
        return Double(text)?.bitPattern == value.bitPattern ? Form(type: type, text: text) : nil
    }

    /// Seconds since 2001 with 20 decimals, as Core Data writes them, where that is exact.
    private static func date(_ value: Double) -> Form? {
        if value.isFinite, value.magnitude < 1e15 {
            let text = withVaList([value]) { arguments in
                var buffer = [CChar](repeating: 0, count: 64)
                vsnprintf(&buffer, buffer.count, "%.20f", arguments)
                return String(
                    decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)),
                    as: UTF8.self)
            }
            if Double(text)?.bitPattern == value.bitPattern {
                return Form(type: "date", text: text)
            }
        }
        return double(value, type: "date")
    }

    private static func decimal(_ value: Decimal) -> Form? {
        let text = value.description
        if value.isNaN { return Form(type: "decimal", text: "NaN") }
        return Decimal(string: text) == value ? Form(type: "decimal", text: text) : nil
    }

    private static func binary(_ data: Data, type: String) -> Form {
        Form(type: type, text: data.base64EncodedString())
    }

    private static func text(_ bytes: UnsafeRawBufferPointer, type: String) -> Form {
        let text = String(decoding: bytes, as: UTF8.self)
        return XMLText.canHold(text)
            ? Form(type: type, text: text)
            : Form(type: type, text: Data(text.utf8).base64EncodedString(), isEncoded: true)
    }

    // MARK: Reading

    /// Returns the value of an attribute of that type; nil where the text is none.
    static func value(
        _ attribute: StoreDocument.Attribute, _ kind: RowLayout.Kind
    ) -> Value? {
        let text = attribute.text
        switch kind {
        case .boolean: return ["1": true, "0": false][text].map(Value.boolean)
        case .int16: return Int16(text).map { .integer(Int64($0)) }
        case .int32: return Int32(text).map { .integer(Int64($0)) }
        case .int64: return Int64(text).map(Value.integer)
        case .float: return Float(text).map(Value.float)
        case .double: return Double(text).map(Value.double)
        case .date:
            return Double(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        case .decimal: return decimal(text)
        case .uuid: return UUID(uuidString: text).map(Value.uuid)
        case .string: return string(attribute).map(Value.string)
        case .uri: return string(attribute).flatMap { URL(string: $0) }.map(Value.uri)
        case .binary, .externalBinary: return Base64.decode(text).map(Value.binary)
        case .transformable: return Base64.decode(text).map(Value.transformable)
        case .composite:
            return Base64.decode(text).flatMap { CompositeCodec.decode($0) }.map(Value.composite)
        case .toOne: return nil
        }
    }

    /// Foundation reads the beginning of a text that is no number; the digits are checked first.
    private static func decimal(_ text: String) -> Value? {
        if text == "NaN" { return .decimal(.nan) }
        let digits = Set("0123456789+-.eE".utf8)
        guard !text.isEmpty, text.utf8.allSatisfy(digits.contains) else { return nil }
        return Decimal(string: text).map(Value.decimal)
    }

    private static func string(_ attribute: StoreDocument.Attribute) -> String? {
        guard attribute.isEncoded else { return attribute.text }
        return Base64.decode(attribute.text).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
