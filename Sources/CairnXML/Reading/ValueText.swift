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
        case .binary, .externalBinary: return Data(spacedBase64: text).map(Value.binary)
        case .transformable: return Data(spacedBase64: text).map(Value.transformable)
        case .composite:
            return Data(spacedBase64: text).flatMap { CompositeCodec.decode($0) }
                .map(Value.composite)
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
        return Data(spacedBase64: text).flatMap { String(validating: $0, as: UTF8.self) }
    }
}

/// Parses numbers from bytes, with the same results as Swift's initialisers that take strings.
enum Digits {
    /// Returns the integer, or `nil` if the digits do not represent a decimal number of 64 bits.
    static func int64(_ digits: UnsafeBufferPointer<UInt8>) -> Int64? {
        var index = 0
        var isNegative = false
        if let sign = digits.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            isNegative = sign == UInt8(ascii: "-")
            index = 1
        }
        guard index < digits.count else { return nil }
        var number: Int64 = 0
        while index < digits.count {
            let digit = Int64(digits[index]) - 0x30
            guard (0...9).contains(digit) else { return nil }
            // Computed as a negative number, because the range includes one more negative than positive
            // number.
            let (tenfold, first) = number.multipliedReportingOverflow(by: 10)
            let (next, second) = tenfold.subtractingReportingOverflow(digit)
            if first || second { return nil }
            number = next
            index += 1
        }
        if isNegative { return number }
        return number == .min ? nil : -number
    }

    /// Returns the double, or `nil` if the text does not represent a number.
    static func double(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        simpleDouble(text) ?? Double(String(decoding: text, as: UTF8.self))
    }

    /// Returns the value of a decimal if a double represents both its digits and its power of ten exactly.
    /// The quotient of the two is then the nearest double (Clinger, How to Read Floating Point Numbers
    /// Accurately, 1990). Returns `nil` for all other text.
    private static func simpleDouble(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        var end = text.count
        guard let point = text.firstIndex(of: UInt8(ascii: ".")), point > 0, point < end - 1 else {
            return nil
        }
        while end > point + 2, text[end - 1] == UInt8(ascii: "0") { end -= 1 }
        let isNegative = text[0] == UInt8(ascii: "-")
        let start = isNegative ? 1 : 0
        // At most 16 digits. A double represents the powers of ten up to 10²² exactly.
        guard start < point, end - start <= 17 else { return nil }
        var digits: UInt64 = 0
        var power = 1.0
        for index in start..<end where index != point {
            let digit = UInt64(text[index]) &- 0x30
            guard digit <= 9 else { return nil }
            digits = digits * 10 + digit
            if index > point { power *= 10 }
        }
        guard digits <= 1 << 53 else { return nil }
        let value = Double(digits) / power
        return isNegative ? -value : value
    }
}

extension Data {
    /// Decodes Base64 with white space between the digits, which Core Data writes. Returns `nil` if the
    /// text contains anything else.
    init?(spacedBase64 text: String) {
        // A loop over bytes: with `filter`, this was a third of the kit's time on XML stores in debug builds.
        var text = text
        let digits = text.withUTF8 { bytes in
            [UInt8](unsafeUninitializedCapacity: bytes.count) { digits, count in
                guard let from = bytes.baseAddress, let to = digits.baseAddress else { return }
                var index = 0
                while index < bytes.count {
                    let digit = from[index]
                    index += 1
                    if digit == 0x20 || digit == 0x09 || digit == 0x0a || digit == 0x0d { continue }
                    to[count] = digit
                    count += 1
                }
            }
        }
        self.init(base64Encoded: Data(digits))
    }
}
