import CairnModel
import CairnSAX

/// An element of a small XML file, with its attributes and children but without its text.
struct XMLElement: Equatable {
    var name: String
    var attributes: [String: String]
    var children: [XMLElement] = []
    /// The number of the line on which the element begins, counted from 1.
    var line = 0

    /// The value of an attribute, or `nil` if it is missing.
    subscript(name: String) -> String? {
        get { attributes[name] }
        set { attributes[name] = newValue }
    }

    /// Returns whether an attribute is true. Returns `false` if it is missing.
    func isTrue(_ name: String) -> Bool {
        attributes[name].flatMap(XMLElement.truth) ?? false
    }

    /// Returns `true` for `YES`, `true` and `1`, `false` for their opposites, ignoring case, and `nil` for
    /// any other text.
    static func truth(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "yes", "true", "1": true
        case "no", "false", "0": false
        default: nil
        }
    }

    /// Returns the children with this name, in order.
    func children(_ name: String) -> [XMLElement] {
        children.filter { $0.name == name }
    }

    /// Returns the first child with this name, or `nil` if there is no such child.
    func child(_ name: String) -> XMLElement? {
        children.first { $0.name == name }
    }
}

extension XMLElement {
    /// The maximum size of a file in bytes. The largest known source model has 60 kB.
    static let byteCountLimit = 64 << 20
    static let depthLimit = 64

    /// Reads a small XML document into a tree of elements. Documents with a DOCTYPE are refused, so that no
    /// entities can be declared.
    ///
    /// - Throws: An ``XMLDamage`` if the document is not well-formed, has a DOCTYPE, is too large, or if its
    ///   elements are nested too deeply.
    static func read(_ bytes: [UInt8]) throws(XMLDamage) -> XMLElement {
        guard bytes.count <= byteCountLimit else {
            throw XMLDamage(line: 1, detail: "the file is larger than \(byteCountLimit) bytes")
        }
        var builder = XMLTreeBuilder()
        try SAXParser.parse(bytes, into: &builder, .small)
        guard let root = builder.root else {
            throw XMLDamage(line: 1, detail: "the file contains no element")
        }
        return root
    }
}

/// Builds the tree of elements of a document.
private struct XMLTreeBuilder: SAXHandler {
    private(set) var root: XMLElement?
    /// The elements that are open, from the outermost to the innermost.
    private var open: [XMLElement] = []

    func documentType(_ type: SAXDocumentType, line: Int) throws(XMLDamage) {
        throw XMLDamage(line: line, detail: "the file has a DOCTYPE, but models have none")
    }

    mutating func begin(_ name: SAXName, _ attributes: SAXAttributes, line: Int) throws(XMLDamage) {
        guard open.count < XMLElement.depthLimit else {
            throw XMLDamage(
                line: line,
                detail: "elements are nested more than \(XMLElement.depthLimit) levels deep")
        }
        open.append(XMLElement(name: name.text, attributes: attributes.texts, line: line))
    }

    func text(_ bytes: UnsafeBufferPointer<UInt8>) {}

    mutating func end(line: Int) {
        guard let element = open.popLast() else { return }
        if open.isEmpty {
            root = element
        } else {
            open[open.count - 1].children.append(element)
        }
    }
}

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
            text += " \(name)=\"\((element.attributes[name] ?? "").xmlEscaped)\""
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
}
