/// Writes elements, one after the other, indented by their depth.
struct XMLWriter {
    private(set) var bytes: [UInt8] = []
    private var open: [String] = []

    /// Writes a line as it is.
    mutating func line(_ text: String) {
        indent()
        append(text)
        append("\n")
    }

    /// Begins an element that holds others.
    mutating func begin(_ name: String, _ attributes: [(String, String)] = []) {
        indent()
        append("<\(name)")
        for (key, value) in attributes { append(key, value) }
        append(">\n")
        open.append(name)
    }

    /// Ends the element that was begun last.
    mutating func end() {
        guard let name = open.popLast() else { return }
        line("</\(name)>")
    }

    /// Writes an element that holds text alone.
    mutating func element(_ name: String, _ text: String) {
        indent()
        append("<\(name)>")
        appendEscaped(text, isValue: false)
        append("</\(name)>\n")
    }

    /// Writes a part of a tag: an attribute with its value.
    mutating func append(_ key: String, _ value: String) {
        append(" \(key)=\"")
        appendEscaped(value, isValue: true)
        append("\"")
    }

    /// Writes a part of a line as it is.
    mutating func append(_ text: String) { bytes += Array(text.utf8) }

    /// - Parameter isValue: in an attribute's value, parsers make spaces of tabs and line feeds, too.
    private mutating func appendEscaped(_ text: String, isValue: Bool) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): append("&amp;")
            case UInt8(ascii: "<"): append("&lt;")
            case UInt8(ascii: ">"): append("&gt;")
            case UInt8(ascii: "\""): append("&quot;")
            // A parser makes a line feed of a bare one.
            case 0x0d: append("&#13;")
            case UInt8(ascii: "\t") where isValue: append("&#9;")
            case UInt8(ascii: "\n") where isValue: append("&#10;")
            default: bytes.append(byte)
            }
        }
    }

    private mutating func indent() {
        bytes += [UInt8](repeating: 0x20, count: 4 * open.count)
    }
}
