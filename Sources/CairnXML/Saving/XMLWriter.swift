/// Writes a sequence of elements, indented by their depth.
struct XMLWriter {
    private(set) var bytes: [UInt8] = []
    private var open: [String] = []

    /// Writes a line without escaping it.
    mutating func line(_ text: String) {
        indent()
        append(text)
        append("\n")
    }

    /// Writes the start tag of an element that contains other elements.
    mutating func begin(_ name: String, _ attributes: [(String, String)] = []) {
        indent()
        append("<\(name)")
        for (key, value) in attributes { append(key, value) }
        append(">\n")
        open.append(name)
    }

    /// Writes the end tag of the innermost open element.
    mutating func end() {
        guard let name = open.popLast() else { return }
        line("</\(name)>")
    }

    /// Writes an element that contains only text.
    mutating func element(_ name: String, _ text: String) {
        indent()
        append("<\(name)>")
        appendEscaped(text, isValue: false)
        append("</\(name)>\n")
    }

    /// Writes an attribute with its value as a part of a tag.
    mutating func append(_ key: String, _ value: String) {
        append(" \(key)=\"")
        appendEscaped(value, isValue: true)
        append("\"")
    }

    /// Writes a part of a line without escaping it.
    mutating func append(_ text: String) { bytes += Array(text.utf8) }

    /// - Parameter isValue: Whether the text is the value of an attribute, in which tabs and line feeds must
    ///   also be escaped, because parsers would convert them to spaces.
    private mutating func appendEscaped(_ text: String, isValue: Bool) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): append("&amp;")
            case UInt8(ascii: "<"): append("&lt;")
            case UInt8(ascii: ">"): append("&gt;")
            case UInt8(ascii: "\""): append("&quot;")
            // A parser would convert an unescaped carriage return to a line feed.
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
