/// Writes elements, one after the other, indented by their depth.
struct XMLWriter {
    private(set) var bytes: [UInt8] = []
    private var open: [String] = []

    /// Writes a line as it is.
    mutating func line(_ text: String) {
        indent()
        bytes += Array(text.utf8)
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Begins an element that holds others.
    mutating func begin(_ name: String, _ attributes: [(String, String)] = []) {
        indent()
        tag(name, attributes)
        bytes.append(UInt8(ascii: "\n"))
        open.append(name)
    }

    /// Ends the element that was begun last.
    mutating func end() {
        guard let name = open.popLast() else { return }
        line("</\(name)>")
    }

    /// Writes an element that holds text alone.
    mutating func element(
        _ name: String, _ attributes: [(String, String)] = [], _ text: String = ""
    ) {
        indent()
        tag(name, attributes)
        XMLText.append(text, to: &bytes)
        bytes += Array("</\(name)>\n".utf8)
    }

    private mutating func indent() {
        bytes += [UInt8](repeating: 0x20, count: 4 * open.count)
    }

    private mutating func tag(_ name: String, _ attributes: [(String, String)]) {
        bytes.append(UInt8(ascii: "<"))
        bytes += Array(name.utf8)
        for (key, value) in attributes {
            bytes += Array(" \(key)=\"".utf8)
            XMLText.appendValue(value, to: &bytes)
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: ">"))
    }
}
