/// Text as XML 1.0 holds it.
enum XMLText {
    /// Whether every character is one that XML can hold: no control but tab and line ends, not
    /// U+FFFE, not U+FFFF.
    static func canHold(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            scalar.value >= 0x20
                ? scalar.value != 0xfffe && scalar.value != 0xffff
                : scalar == "\t" || scalar == "\n" || scalar == "\r"
        }
    }

    /// Appends a text so that a parser gives it back, in an element or in an attribute's value.
    static func append(_ text: String, to bytes: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += Array("&amp;".utf8)
            case UInt8(ascii: "<"): bytes += Array("&lt;".utf8)
            case UInt8(ascii: ">"): bytes += Array("&gt;".utf8)
            case UInt8(ascii: "\""): bytes += Array("&quot;".utf8)
            // A parser makes a line feed of a bare one.
            case 0x0d: bytes += Array("&#13;".utf8)
            default: bytes.append(byte)
            }
        }
    }

    /// Appends an attribute's value, in which parsers make spaces of tabs and line feeds, too.
    static func appendValue(_ text: String, to bytes: inout [UInt8]) {
        for part in text.unicodeScalars {
            switch part {
            case "\t": bytes += Array("&#9;".utf8)
            case "\n": bytes += Array("&#10;".utf8)
            default: append(String(part), to: &bytes)
            }
        }
    }
}
