import CairnModel
import CairnRows
import Foundation

/// The bytes of a document that is being written, in memory that grows and is not bounds-checked per byte.
struct DocumentBytes: ~Copyable {
    private var base: UnsafeMutableRawPointer
    private var capacity: Int
    /// The number of bytes written so far.
    private(set) var count = 0

    /// - Parameter capacity: The expected number of bytes. More can be appended.
    init(capacity: Int) {
        self.capacity = max(capacity, 4096)
        base = .allocate(byteCount: self.capacity, alignment: 16)
    }

    deinit { base.deallocate() }

    /// Calls the body with the bytes written so far.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(start: base, count: count))
    }

    // MARK: Unescaped

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        reserve(bytes.count)
        if let source = bytes.baseAddress {
            (base + count).copyMemory(from: source, byteCount: bytes.count)
        }
        count += bytes.count
    }

    mutating func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { append($0) } }

    /// Appends a part of the bytes of another document.
    mutating func append(_ part: Range<Int>, of other: borrowing DocumentBytes) {
        append(UnsafeRawBufferPointer(start: other.base + part.lowerBound, count: part.count))
    }

    mutating func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// Appends a number in decimal.
    mutating func append(_ number: Int64) {
        reserve(20)
        if number < 0 { put(UInt8(ascii: "-")) }
        var rest = number.magnitude
        let digitCount = Self.digitCount(rest)
        for offset in stride(from: count + digitCount - 1, through: count, by: -1) {
            base.storeBytes(of: UInt8(0x30 + rest % 10), toByteOffset: offset, as: UInt8.self)
            rest /= 10
        }
        count += digitCount
    }

    private static func digitCount(_ number: UInt64) -> Int {
        var (count, limit) = (1, UInt64(10))
        while number >= limit {
            count += 1
            let (next, isLast) = limit.multipliedReportingOverflow(by: 10)
            if isLast { return count }
            limit = next
        }
        return count
    }

    /// Appends the last digits of a number, padded with zeros.
    mutating func append(lastDigits digitCount: Int, of number: UInt64) {
        reserve(digitCount)
        var rest = number
        for offset in stride(from: count + digitCount - 1, through: count, by: -1) {
            base.storeBytes(of: UInt8(0x30 + rest % 10), toByteOffset: offset, as: UInt8.self)
            rest /= 10
        }
        count += digitCount
    }

    // MARK: Escaped

    /// Appends text for the content of an element, so that a parser restores it. This is not enough for the
    /// value of an XML attribute, in which parsers convert tabs and line feeds to spaces; ``XMLWriter``
    /// writes those.
    mutating func append(escaping bytes: UnsafeRawBufferPointer) {
        // The longest replacement takes six bytes.
        reserve(6 * bytes.count)
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "&"): append("&amp;")
            case UInt8(ascii: "<"): append("&lt;")
            case UInt8(ascii: ">"): append("&gt;")
            case UInt8(ascii: "\""): append("&quot;")
            // A parser would convert an unescaped carriage return to a line feed.
            case 0x0d: append("&#13;")
            default: put(byte)
            }
        }
    }

    // MARK: Capacity

    @inline(__always) private mutating func put(_ byte: UInt8) {
        base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    @inline(__always) private mutating func reserve(_ more: Int) {
        if count + more > capacity { grow(more) }
    }

    private mutating func grow(_ more: Int) {
        capacity = max(2 * capacity, count + more)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        larger.copyMemory(from: base, byteCount: count)
        base.deallocate()
        base = larger
    }
}

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

/// Determines how text can be represented in XML 1.0.
enum XMLText {
    /// The form in which a text must be written.
    enum Form {
        /// Unchanged.
        case plain
        /// With some bytes replaced.
        case escaped
        /// Encoded, because XML cannot represent it.
        case encoded
        /// Not known, because the text is not ASCII. It must be examined as a string.
        case unknown
    }

    /// Two bit masks with one bit for each of the ASCII characters 0 to 63. The bits of `possible` say which
    /// characters XML can represent; the bits of `plain` say which characters can be written unchanged.
    private static let possible: UInt64 = 0xffff_ffff_0000_2600
    private static let plain: UInt64 =
        possible & ~(1 << 0x0d | 1 << 0x22 | 1 << 0x26 | 1 << 0x3c | 1 << 0x3e)

    /// Examines the bytes of a text up to the first one that is not ASCII.
    static func form(of bytes: UnsafeRawBufferPointer) -> Form {
        var form = Form.plain
        for byte in bytes {
            if byte >= 0x80 { return .unknown }
            if byte >= 0x40 || plain >> UInt64(byte) & 1 == 1 { continue }
            if possible >> UInt64(byte) & 1 == 0 { return .encoded }
            form = .escaped
        }
        return form
    }

    /// Returns whether XML can represent all characters: the text must not contain U+FFFE, U+FFFF, or control
    /// characters other than tabs and line ends.
    static func canHold(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            for (index, byte) in bytes.enumerated() {
                if byte < 0x20, possible >> UInt64(byte) & 1 == 0 { return false }
                if byte == 0xef, bytes[index + 1] == 0xbf, bytes[index + 2] >= 0xbe { return false }
            }
            return true
        }
    }
}
