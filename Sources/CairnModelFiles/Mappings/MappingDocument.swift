import CairnModel
import CairnSAX
import Foundation

/// The objects of an `xcmapping.xml` file, which is an XML store of Core Data.
struct MappingDocument {
    /// An object of the file, with the texts of its attributes and the IDs that its relationships lead to.
    struct Object {
        let type: String
        var attributes: [String: String] = [:]
        var related: [String: [String]] = [:]
    }

    private let objects: [String: Object]
    /// The mapping model itself.
    let root: Object

    /// - Throws: An ``XMLDamage`` if the document is not well-formed or contains no mapping model.
    init(_ bytes: [UInt8]) throws(XMLDamage) {
        var reader = Reader()
        try SAXParser.parse(bytes, into: &reader, .small)
        objects = reader.objects
        guard let root = objects.values.first(where: { $0.type == "XDDEVMAPPINGMODEL" }) else {
            throw XMLDamage(line: 1, detail: "the file contains no mapping model")
        }
        self.root = root
    }

    /// Returns the objects that a relationship of an object leads to.
    func objects(_ name: String, of object: Object) -> [Object] {
        (object.related[name] ?? []).compactMap { objects[$0] }
    }

    /// Collects the objects of a document.
    private struct Reader: SAXHandler {
        private(set) var objects: [String: Object] = [:]
        /// The names of the elements that are open.
        private var open: [String] = []
        private var id = ""
        private var object: Object?
        private var attribute: String?
        private var value: [UInt8] = []

        func documentType(_ type: SAXDocumentType, line: Int) throws(XMLDamage) {
            guard type.name == "database", type.systemID?.hasSuffix("/CoreData.dtd") ?? true else {
                throw XMLDamage(line: line, detail: "the DOCTYPE is not that of Core Data's XML")
            }
        }

        mutating func begin(_ name: SAXName, _ attributes: SAXAttributes, line: Int) {
            open.append(name.text)
            switch name.text {
            case "object":
                id = attributes["id"] ?? ""
                object = Object(type: attributes["type"] ?? "")
            case "attribute":
                attribute = attributes["name"]
                value = []
            case "relationship":
                guard let name = attributes["name"] else { return }
                object?.related[name] = (attributes["idrefs"] ?? "").split(separator: " ")
                    .map(String.init)
            default: break
            }
        }

        mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) {
            if attribute != nil { value.append(contentsOf: bytes) }
        }

        mutating func end(line: Int) {
            switch open.popLast() {
            case "object"?:
                objects[id] = object
                object = nil
            case "attribute"?:
                guard let name = attribute else { return }
                object?.attributes[name] = String(decoding: value, as: UTF8.self)
                attribute = nil
            default: break
            }
        }
    }
}
