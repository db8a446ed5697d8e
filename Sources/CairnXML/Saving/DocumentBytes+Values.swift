import CairnModel
import CairnRows
import Foundation

/// Writing the values of attributes as text. docs/formats/xml.md lists the forms.
extension DocumentBytes {
    /// Appends the rest of an `attribute` element: the encoding if the text is encoded, the text, and the end
    /// tag.
    ///
    /// - Returns: Whether reading the text gives an equal value.
    mutating func append(_ slot: RowLayout.Slot, of row: Row) -> Bool {
        switch slot.kind {
        case .string, .uri: appendText(row.unsafeBytes(slot))
        default:
            append(">")
            guard appendScalar(slot, of: row) else { return false }
        }
        append("</attribute>\n")
        return true
    }

    private mutating func appendText(_ bytes: UnsafeRawBufferPointer) {
        switch XMLText.form(of: bytes) {
        case .plain:
            append(">")
            append(bytes)
        case .escaped:
            append(">")
            append(escaping: bytes)
        case .encoded: appendEncoded(bytes)
        case .unknown:
            // Bytes that are not valid UTF-8 are written as the string that Swift decodes from them.
            var text = String(decoding: bytes, as: UTF8.self)
            let canHold = XMLText.canHold(text)
            text.withUTF8 { utf8 in
                guard canHold else { return appendEncoded(UnsafeRawBufferPointer(utf8)) }
                append(">")
                append(escaping: UnsafeRawBufferPointer(utf8))
            }
        }
    }

    private mutating func appendEncoded(_ bytes: UnsafeRawBufferPointer) {
        append(" encoding=\"base64\">")
        append(Data(bytes).base64EncodedString())
    }

    private mutating func appendScalar(_ slot: RowLayout.Slot, of row: Row) -> Bool {
        switch slot.kind {
        case .boolean: append(row.boolean(slot) ? "1" : "0")
        case .int16, .int32, .int64: append(row.integer(slot))
        case .float: return append(row.float(slot))
        case .double: return append(row.double(slot))
        case .date: return append(secondsOf: row.double(slot))
        case .decimal: return append(row.decimal(slot))
        case .uuid: append(row.uuid(slot).uuidString)
        case .binary, .transformable, .composite: append(row.data(slot).base64EncodedString())
        case .externalBinary: append(row.data(slot).dropFirst().base64EncodedString())
        case .string, .uri, .toOne: return false
        }
        return true
    }

    // MARK: Numbers

    private mutating func append(_ value: Float) -> Bool {
        let text = value.description
        append(text)
        // Reading the `description` of a number gives an equal number, but this is not certain for NaN.
        return value.isFinite || Float(text)?.bitPattern == value.bitPattern
    }

    private mutating func append(_ value: Double) -> Bool {
        let text = value.description
        append(text)
        return value.isFinite || Double(text)?.bitPattern == value.bitPattern
    }

    private mutating func append(_ value: Decimal) -> Bool {
        let text = value.isNaN ? "NaN" : value.description
        append(text)
        return value.isNaN || Decimal(string: text) == value
    }

    /// Appends seconds since 2001, with 20 decimals if they represent the value exactly. Core Data also
    /// writes 20 decimals.
    private mutating func append(secondsOf value: Double) -> Bool {
        if value.magnitude >= 1, value.magnitude < 1e15 {
            append(exactSeconds: value)
            return true
        }
        let text = value.magnitude < 1 ? Self.decimals(value) : ""
        guard Double(text)?.bitPattern == value.bitPattern else { return append(value) }
        append(text)
        return true
    }

    /// Appends a double whose magnitude is at least 1. Its fraction is a multiple of 2⁻⁵², so 20 decimals are
    /// enough. As in `printf`, they are rounded to nearest, with ties to even.
    private mutating func append(exactSeconds value: Double) {
        let whole = value.magnitude.rounded(.towardZero)
        let fraction = UInt128((value.magnitude - whole) * 0x1p52)
        let product = fraction * 100_000_000_000_000_000_000
        var decimals = product >> 52
        let rest = product & (1 << 52 - 1)
        if rest > 1 << 51 || (rest == 1 << 51 && decimals & 1 == 1) { decimals += 1 }
        if value < 0 { append("-") }
        append(Int64(whole))
        append(".")
        let (first, last) = decimals.quotientAndRemainder(dividingBy: 10_000_000_000)
        append(lastDigits: 10, of: UInt64(first))
        append(lastDigits: 10, of: UInt64(last))
    }

    private static func decimals(_ value: Double) -> String {
        withVaList([value]) { arguments in
            var buffer = [CChar](repeating: 0, count: 64)
            vsnprintf(&buffer, buffer.count, "%.20f", arguments)
            return String(
                decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
