import CairnStore
import Foundation

/// Gathers a store document from its elements, and refuses what does not belong there.
final class DocumentHandler: SAXHandler {
    /// A property list that needs more was not written by a program of sense.
    private static let depthLimit = 64

    private var document = StoreDocument()
    /// Names of the open elements, the outermost first.
    private var open: [String] = []
    private var text: [UInt8] = []
    private var list = PropertyListBuilder()
    private var object: StoreDocument.Object?
    private var property: [String: String] = [:]
    private var hasIdentifier = false

    func begin(_ name: String, _ attributes: [String: String], line: Int) throws(XMLDamage) {
        if open.isEmpty, name != "database" {
            throw XMLDamage(
                line: line, detail: "the root is “\(name)”", otherKind: "an XML document")
        }
        guard open.count < Self.depthLimit else {
            throw XMLDamage(line: line, detail: "elements are nested too deep")
        }
        try check(name, line: line)
        open.append(name)
        text.removeAll(keepingCapacity: true)
        switch (open.count, name) {
        case (2, "object"): object = try newObject(attributes, line: line)
        case (3, "attribute"), (3, "relationship"): property = attributes
        default: break
        }
    }

    /// Whether the element may stand inside of the open ones.
    private func check(_ name: String, line: Int) throws(XMLDamage) {
        if isInList {
            if let detail = list.begin(name) { throw XMLDamage(line: line, detail: detail) }
            return
        }
        let isKnown =
            switch open.count {
            case 0: true
            case 1: name == "databaseInfo" || name == "object"
            case 2 where open[1] == "object": name == "attribute" || name == "relationship"
            case 2: ["version", "UUID", "nextObjectID", "metadata"].contains(name)
            case 3: open[2] == "metadata" && name == "plist"
            default: false
            }
        guard isKnown else {
            throw XMLDamage(
                line: line, detail: "“\(name)” cannot stand in “\(open.last ?? "")”")
        }
    }

    private var isInList: Bool { open.count > 3 && open[3] == "plist" }

    private func newObject(
        _ attributes: [String: String], line: Int
    ) throws(XMLDamage) -> StoreDocument.Object {
        guard let type = attributes["type"], let id = attributes["id"].flatMap(Self.identifier)
        else {
            throw XMLDamage(line: line, detail: "an object without type and id")
        }
        let version = attributes["version"].map { Int64($0) } ?? 1
        guard let version, version > 0 else {
            throw XMLDamage(line: line, detail: "the version is no number above 0")
        }
        return StoreDocument.Object(type: type, id: id, version: version, line: line)
    }

    /// The number of `z107`; nil for another text.
    private static func identifier(_ text: some StringProtocol) -> Int64? {
        guard text.first == "z", let number = Int64(text.dropFirst()), number > 0 else {
            return nil
        }
        return number
    }

    func text(_ bytes: UnsafeBufferPointer<UInt8>) { text.append(contentsOf: bytes) }

    func end(line: Int) throws(XMLDamage) {
        guard let name = open.popLast() else { return }
        let content = String(decoding: text, as: UTF8.self)
        text.removeAll(keepingCapacity: true)
        if isInList {
            if let detail = list.end(name, content) { throw XMLDamage(line: line, detail: detail) }
            return
        }
        switch (open.count, name) {
        case (1, "object"):
            if let object { document.objects.append(object) }
            object = nil
        case (2, "attribute"): try endAttribute(content, line: line)
        case (2, "relationship"): try endRelationship(line: line)
        case (2, "version"): try checkVersion(content, line: line)
        case (2, "UUID"): try setIdentifier(content, line: line)
        default: break
        }
    }

    private func checkVersion(_ text: String, line: Int) throws(XMLDamage) {
        guard text == StoreDocument.formatVersion else {
            throw XMLDamage(line: line, detail: "the form has a version that is not known")
        }
    }

    private func setIdentifier(_ text: String, line: Int) throws(XMLDamage) {
        guard UUID(uuidString: text) != nil, !hasIdentifier else {
            throw XMLDamage(line: line, detail: "the UUID is none, or the second")
        }
        document.identifier = text
        hasIdentifier = true
    }

    private func endAttribute(_ text: String, line: Int) throws(XMLDamage) {
        guard let name = property["name"] else {
            throw XMLDamage(line: line, detail: "an attribute without name")
        }
        let encoding = property["encoding"]
        guard encoding == nil || encoding == "base64" else {
            throw XMLDamage(line: line, detail: "an encoding that is not known")
        }
        object?.attributes.append(
            StoreDocument.Attribute(
                name: name, text: text, isEncoded: encoding != nil, line: line))
    }

    private func endRelationship(line: Int) throws(XMLDamage) {
        guard let name = property["name"] else {
            throw XMLDamage(line: line, detail: "a relationship without name")
        }
        var ids: [Int64] = []
        for word in (property["idrefs"] ?? "").split(whereSeparator: \.isWhitespace) {
            guard let id = Self.identifier(word) else {
                throw XMLDamage(line: line, detail: "idrefs has a word that is no identifier")
            }
            ids.append(id)
        }
        let orderKeys = property["orderkeys"]?.split(separator: " ").map { Int64($0) }
        guard orderKeys.map({ $0.count == ids.count && $0.allSatisfy { $0 != nil } }) ?? true
        else {
            throw XMLDamage(line: line, detail: "orderkeys are not as many numbers as idrefs")
        }
        object?.relationships.append(
            StoreDocument.Relationship(
                name: name, ids: ids, orderKeys: orderKeys?.compactMap(\.self), line: line))
    }

    /// - Throws: where the document lacks what each has.
    func finish() throws(XMLDamage) -> StoreDocument {
        guard hasIdentifier else { throw XMLDamage(line: 1, detail: "the store has no UUID") }
        if case .dictionary(let entries)? = list.value { document.metadata = entries }
        return document
    }
}
