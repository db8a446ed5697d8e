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
