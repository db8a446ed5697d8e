import CairnSAX
import Foundation

/// Builds a store document from its elements, and refuses invalid ones.
struct DocumentHandler: SAXHandler {
    /// An element that is open.
    private enum Element {
        case database, databaseInfo, version, identifier, nextObjectID, metadata, propertyList
        case object, attribute, relationship
        /// An element of a property list.
        case entry

        var name: String {
            switch self {
            case .identifier: "UUID"
            case .propertyList: "plist"
            default: "\(self)"
            }
        }
    }

    /// The XML attributes of an `attribute` element.
    private struct AttributeHead {
        let name: Int
        let isEncoded: Bool
    }

    /// The maximum nesting depth of elements. No property list that is likely to occur needs more.
    private static let depthLimit = 64

    private var document: StoreDocument
    /// The open elements, from the outermost to the innermost.
    private var open: [Element] = []
    /// The text of the open element, unless it is an `attribute` element.
    private var text: [UInt8] = []
    private var object: StoreDocument.Object?
    private var attribute: AttributeHead?
    private var list = PropertyListBuilder()
    /// The names of the open elements of a property list.
    private var entries: [String] = []
    private var hasIdentifier = false

    /// - Parameter byteCount: The length of the document in bytes.
    init(byteCount: Int) { document = StoreDocument(byteCount: byteCount) }

    // MARK: Start of elements

    func documentType(_ type: SAXDocumentType, line: Int) throws(XMLDamage) {
        try StoreDocument.check(type, line: line)
    }

    mutating func begin(
        _ name: SAXName, _ attributes: SAXAttributes, line: Int
    ) throws(XMLDamage) {
        let element = try element(name, line: line)
        open.append(element)
        switch element {
        case .object: object = try newObject(attributes, line: line)
        case .attribute: attribute = try newAttribute(attributes, line: line)
        case .relationship: try add(relationship: attributes, line: line)
        default: text.removeAll(keepingCapacity: true)
        }
    }

    /// Returns the element with a name.
    ///
    /// - Throws: An error if the element is not allowed inside the innermost open element.
    private mutating func element(_ name: SAXName, line: Int) throws(XMLDamage) -> Element {
        guard let outer = open.last else {
            if name == "database" { return .database }
            throw XMLDamage(
                line: line, detail: "the root element is “\(name.text)”",
                otherKind: "an XML document")
        }
        guard open.count < Self.depthLimit else {
            throw XMLDamage(line: line, detail: "elements are nested too deeply")
        }
        switch outer {
        case .object:
            if name == "attribute" { return .attribute }
            if name == "relationship" { return .relationship }
        case .database:
            if name == "object" { return .object }
            if name == "databaseInfo" { return .databaseInfo }
        case .databaseInfo:
            if name == "version" { return .version }
            if name == "UUID" { return .identifier }
            if name == "nextObjectID" { return .nextObjectID }
            if name == "metadata" { return .metadata }
        case .metadata:
            if name == "plist" { return .propertyList }
        case .propertyList, .entry:
            if let detail = list.begin(name.text) { throw XMLDamage(line: line, detail: detail) }
            entries.append(name.text)
            return .entry
        default: break
        }
        throw XMLDamage(
            line: line, detail: "the element “\(name.text)” is not allowed in “\(outer.name)”")
    }

    private mutating func newObject(
        _ attributes: SAXAttributes, line: Int
    ) throws(XMLDamage) -> StoreDocument.Object {
        guard let type = attributes.bytes("type"),
            let id = attributes.bytes("id").flatMap({ Self.identifier($0) })
        else {
            throw XMLDamage(line: line, detail: "an object has no type or no id")
        }
        let version = attributes.bytes("version").map { Digits.int64($0) } ?? 1
        guard let version, version > 0 else {
            throw XMLDamage(line: line, detail: "the version is not a number greater than 0")
        }
        let (first, second) = (document.attributes.count, document.relationships.count)
        return StoreDocument.Object(
            type: document.names.number(of: type), id: id, version: version, line: line,
            attributes: first..<first, relationships: second..<second)
    }

    /// Returns the number in a text such as `z107`, or `nil` for any other text.
    private static func identifier(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard text.first == UInt8(ascii: "z"),
            let number = Digits.int64(UnsafeBufferPointer(rebasing: text.dropFirst())), number > 0
        else { return nil }
        return number
    }

    private mutating func newAttribute(
        _ attributes: SAXAttributes, line: Int
    ) throws(XMLDamage) -> AttributeHead {
        guard let name = attributes.bytes("name") else {
            throw XMLDamage(line: line, detail: "an attribute has no name")
        }
        let encoding = attributes.bytes("encoding")
        guard encoding.map({ SAXAttributes.text($0) == "base64" }) ?? true else {
            throw XMLDamage(line: line, detail: "an attribute has an unknown encoding")
        }
        return AttributeHead(
            name: document.names.number(of: name), isEncoded: encoding != nil)
    }

    private mutating func add(relationship attributes: SAXAttributes, line: Int) throws(XMLDamage) {
        guard let name = attributes.bytes("name") else {
            throw XMLDamage(line: line, detail: "a relationship has no name")
        }
        let start = document.numbers.count
        try Self.forEachWord(attributes.bytes("idrefs")) { word throws(XMLDamage) in
            guard let id = Self.identifier(word) else {
                throw XMLDamage(
                    line: line, detail: "idrefs contains a word that is not an identifier")
            }
            document.numbers.append(id)
        }
        let ids = start..<document.numbers.count
        let orderKeys = attributes.bytes("orderkeys")
        try Self.forEachWord(orderKeys) { word throws(XMLDamage) in
            guard let key = Digits.int64(word) else {
                throw XMLDamage(line: line, detail: Self.wrongOrderKeys)
            }
            document.numbers.append(key)
        }
        let keyCount = document.numbers.count - ids.upperBound
        guard orderKeys == nil || keyCount == ids.count else {
            throw XMLDamage(line: line, detail: Self.wrongOrderKeys)
        }
        document.relationships.append(
            StoreDocument.Relationship(
                name: document.names.number(of: name), ids: ids,
                hasOrderKeys: orderKeys != nil, line: line))
    }

    private static let wrongOrderKeys =
        "orderkeys does not contain one number for each of the idrefs"

    /// Calls the body with each word. Words are separated by white space.
    private static func forEachWord(
        _ text: UnsafeBufferPointer<UInt8>?,
        _ body: (UnsafeBufferPointer<UInt8>) throws(XMLDamage) -> Void
    ) throws(XMLDamage) {
        guard let text else { return }
        var start = 0
        while start < text.count {
            var end = start
            while end < text.count, !isSpace(text[end]) { end += 1 }
            if end > start { try body(UnsafeBufferPointer(rebasing: text[start..<end])) }
            start = end + 1
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d
    }

    // MARK: Text

    mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) {
        switch open.last {
        case .attribute: document.texts.append(contentsOf: bytes)
        case .object, .database, .relationship: break
        default: text.append(contentsOf: bytes)
        }
    }

    // MARK: End of elements

    mutating func end(line: Int) throws(XMLDamage) {
        switch open.popLast() {
        case .attribute: endAttribute(line: line)
        case .object: endObject()
        case .relationship, nil: break
        case .entry:
            if let detail = list.end(entries.popLast() ?? "", takeText()) {
                throw XMLDamage(line: line, detail: detail)
            }
        case .version: try checkVersion(takeText(), line: line)
        case .identifier: try setIdentifier(takeText(), line: line)
        case .database, .databaseInfo, .nextObjectID, .metadata, .propertyList:
            text.removeAll(keepingCapacity: true)
        }
    }

    private mutating func takeText() -> String {
        defer { text.removeAll(keepingCapacity: true) }
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func endObject() {
        guard var object else { return }
        object.attributes = object.attributes.lowerBound..<document.attributes.count
        object.relationships = object.relationships.lowerBound..<document.relationships.count
        document.objects.append(object)
        self.object = nil
    }

    private mutating func endAttribute(line: Int) {
        guard let attribute else { return }
        document.attributes.append(
            StoreDocument.Attribute(
                name: Int32(truncatingIfNeeded: attribute.name),
                line: Int32(truncatingIfNeeded: line), textEnd: document.texts.count,
                isEncoded: attribute.isEncoded))
        self.attribute = nil
    }

    private func checkVersion(_ text: String, line: Int) throws(XMLDamage) {
        guard text == StoreDocument.formatVersion else {
            throw XMLDamage(line: line, detail: "the version of the format is unknown")
        }
    }

    private mutating func setIdentifier(_ text: String, line: Int) throws(XMLDamage) {
        guard UUID(uuidString: text) != nil, !hasIdentifier else {
            throw XMLDamage(line: line, detail: "the UUID is not valid, or it is the second one")
        }
        document.identifier = text
        hasIdentifier = true
    }

    /// Returns the document.
    ///
    /// - Throws: An error if the document has no identifier.
    mutating func finish() throws(XMLDamage) -> StoreDocument {
        guard hasIdentifier else { throw XMLDamage(line: 1, detail: "the store has no UUID") }
        if case .dictionary(let entries)? = list.value { document.entries = entries }
        return document
    }
}
