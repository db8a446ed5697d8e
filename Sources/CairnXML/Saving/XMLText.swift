/// Text as XML 1.0 holds it.
enum XMLText {
    /// What writing a text takes.
    enum Form {
        /// The bytes as they are.
        case plain
        /// Some bytes are replaced.
        case escaped
        /// XML cannot hold it.
        case encoded
        /// Not ASCII: it is looked at as a text.
        case unknown
    }

    /// A bit for each of the ASCII characters 0 to 63: whether XML can hold the character, and
    /// whether it is written without being replaced.
    private static let possible: UInt64 = 0xffff_ffff_0000_2600
    private static let plain: UInt64 =
        possible & ~(1 << 0x0d | 1 << 0x22 | 1 << 0x26 | 1 << 0x3c | 1 << 0x3e)

    /// Looks at the bytes of a text, no further than what is not ASCII.
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

    /// Whether every character is one that XML can hold: no control but tab and line ends, not
    /// U+FFFE, not U+FFFF.
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
