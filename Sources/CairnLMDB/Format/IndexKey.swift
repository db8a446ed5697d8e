import CairnModel
import CairnRows
import Foundation

/// Values as keys of index tables: bytes whose order is the order of the values.
///
/// The key of `nil` is the byte 0x00. The key of any other value is 0x01 and the encoded value
/// (docs/formats/lmdb.md). Keys are truncated to ``byteCountLimit``, so a search by a longer key
/// also finds values that only share its beginning.
enum IndexKey {
    /// The maximum length of a key: 511, unless LMDB was built with another limit
    /// (mdb_env_get_maxkeysize()).
    static let byteCountLimit = 511

    /// The key of `nil`.
    static let null: [UInt8] = [0]
    /// The first byte of the keys of all other values.
    static let valueMark: UInt8 = 1

    /// Whether values of the kind have keys.
    static func encodes(_ kind: RowLayout.Kind) -> Bool {
        switch kind {
        case .boolean, .int16, .int32, .int64, .float, .double, .date, .decimal, .uuid, .string,
            .uri:
            true
        case .toOne, .binary, .externalBinary, .transformable, .composite: false
        }
    }

    /// Appends the key of a row's value, truncated to the limit.
    @inline(__always) static func append(
        _ row: Row, _ slot: RowLayout.Slot, to bytes: inout [UInt8]
    ) {
        if row.isNull(slot) {
            bytes.append(0)
            return
        }
        bytes.append(valueMark)
        switch slot.kind {
        case .boolean: bytes.append(row.boolean(slot) ? 1 : 0)
        case .int16, .int32, .int64: append(ordered(row.integer(slot)), to: &bytes)
        case .float: append(ordered(Double(row.float(slot))), to: &bytes)
        case .double, .date: append(ordered(row.double(slot)), to: &bytes)
        case .decimal: appendDecimal(row.decimal(slot), to: &bytes)
        default:
            let content =
                slot.kind == .uuid
                ? withUnsafeBytes(of: row.uuid(slot).uuid) { Array($0) } : nil
            if let content {
                bytes += content
            } else {
                bytes.append(contentsOf: row.unsafeBytes(slot).prefix(byteCountLimit - 1))
            }
        }
    }

    /// Returns the key of a constant, without truncation. Returns `nil` if keys cannot be used to
    /// compare values of the kind with the constant.
    static func of(_ value: Value, as kind: RowLayout.Kind) -> [UInt8]? {
        var bytes = [valueMark]
        switch (value, kind) {
        case (.null, _): return null
        case (.boolean(let flag), .boolean): bytes.append(flag ? 1 : 0)
        case (.integer(let number), .int16), (.integer(let number), .int32),
            (.integer(let number), .int64):
            append(ordered(number), to: &bytes)
        case (.float(let number), .float): append(ordered(Double(number)), to: &bytes)
        case (.double(let number), .double): append(ordered(number), to: &bytes)
        case (.date(let date), .date):
            append(ordered(date.timeIntervalSinceReferenceDate), to: &bytes)
        case (.decimal(let number), .decimal): appendDecimal(number, to: &bytes)
        case (.uuid(let uuid), .uuid):
            withUnsafeBytes(of: uuid.uuid) { bytes.append(contentsOf: $0) }
        case (.string(let text), .string): bytes += text.utf8
        case (.uri(let url), .uri): bytes += url.absoluteString.utf8
        default: return nil
        }
        return bytes
    }

    // MARK: Numbers

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private static func ordered(_ number: Int64) -> UInt64 {
        UInt64(bitPattern: number) ^ 1 << 63
    }

    /// NaN becomes 0, before −∞, and −0 becomes 0. The bits of negative numbers are inverted.
    private static func ordered(_ number: Double) -> UInt64 {
        if number.isNaN { return 0 }
        let bits = (number == 0 ? 0 : number).bitPattern
        return bits >> 63 == 1 ? ~bits : bits | 1 << 63
    }

    /// Appends a class (0 NaN, 1 negative, 2 zero, 3 positive). Then follows the number as 0.d₁d₂…
    /// × 10ᵉ: the exponent as u16 + 0x8000, each digit + 1, and a 0. For negative numbers, these
    /// bytes are inverted.
    private static func appendDecimal(_ number: Decimal, to bytes: inout [UInt8]) {
        if number.isNaN {
            bytes.append(0)
            return
        }
        var digits = Array(number.significand.magnitude.description.utf8).map { $0 &- 0x30 }
        let exponent = number.exponent + digits.count
        while digits.last == 0 { digits.removeLast() }
        if digits.isEmpty {
            bytes.append(2)
            return
        }
        let isNegative = number.sign == .minus
        bytes.append(isNegative ? 1 : 3)
        let biased = UInt16(clamping: exponent + 0x8000)
        let magnitude = [UInt8(biased >> 8), UInt8(biased & 0xff)] + digits.map { $0 + 1 } + [0]
        bytes += isNegative ? magnitude.map { ~$0 } : magnitude
    }
}
