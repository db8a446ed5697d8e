/// Writes elements in the style of Xcode's model files: one element per line, indented by four spaces per
/// level.
enum XMLTreeWriter {
    /// Attributes that are written first, in this order. The others follow, sorted by name.
    private static let leading = [
        "type", "documentVersion", "name", "key", "representedClassName", "parentEntity",
        "optional", "transient", "attributeType",
    ]

    static func text(of root: XMLElement) -> String {
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
        append(root, indentation: "", to: &text)
        // Xcode ends the file without a line break.
        text.removeLast()
        return text
    }

    /// Appends an element and its children. The recursion is at most five levels deep, like models.
    private static func append(_ element: XMLElement, indentation: String, to text: inout String) {
        text += "\(indentation)<\(element.name)"
        for name in order(Array(element.attributes.keys)) {
            text += " \(name)=\"\(escaped(element.attributes[name] ?? ""))\""
        }
        if element.children.isEmpty {
            text += "/>\n"
            return
        }
        text += ">\n"
        for child in element.children {
            append(child, indentation: indentation + "    ", to: &text)
        }
        text += "\(indentation)</\(element.name)>\n"
    }

    private static func order(_ names: [String]) -> [String] {
        leading.filter(names.contains) + names.filter { !leading.contains($0) }.sorted()
    }

    /// Returns the text of an attribute's value. White space other than spaces is written as references,
    /// because parsers would otherwise convert it to spaces. Characters that XML cannot represent become
    /// U+FFFD.
    static func escaped(_ value: String) -> String {
        var escaped = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\t", "\n", "\r": escaped += "&#\(scalar.value);"
            case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
