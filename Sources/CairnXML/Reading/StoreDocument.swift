import CairnAtomicStore
import CairnModel
import CairnSAX
import CairnStore
import Foundation

/// An XML store as it is in its file: texts, which are not yet interpreted by a model.
///
/// Elements are in a few large arrays and refer to each other by index, because there are a dozen
/// elements for each object.
struct StoreDocument: AtomicHead {
    /// An `object` element.
    struct Object {
        /// The index of its type in ``StoreDocument/names``.
        let type: Int
        let id: Int64
        let version: Int64
        let line: Int
        /// Which of the document's attributes and relationships are the object's.
        var attributes: Range<Int>
        var relationships: Range<Int>
    }

    /// An `attribute` element of an object. Only 24 bytes, because a document has many of them.
    struct Attribute {
        /// The index of its name in ``StoreDocument/names``.
        let name: Int32
        let line: Int32
        /// The end of its text in ``StoreDocument/texts``. The text begins at the end of the one
        /// before.
        let textEnd: Int
        /// Whether the text is base 64 of the value's UTF-8.
        let isEncoded: Bool
    }

    /// A `relationship` element of an object.
    struct Relationship {
        /// The index of its name in ``StoreDocument/names``.
        let name: Int
        /// The indices of its members in ``StoreDocument/numbers``.
        let ids: Range<Int>
        /// Whether the members are followed by as many order keys. Otherwise a member's order key
        /// is its index among the members.
        let hasOrderKeys: Bool
        let line: Int
    }

    /// The keys of metadata that are not the application's.
    enum Key {
        static let framework = "NSPersistenceFrameworkVersion"
        static let hashes = "NSStoreModelVersionHashes"
        static let hashesVersion = "NSStoreModelVersionHashesVersion"
        static let versions = "NSStoreModelVersionIdentifiers"
        static let model = "CairnModel"
        static let rootEntities = "CairnRootEntities"
        static let nextKeys = "CairnNextKeys"
        /// The values with dates that a property list cuts to whole seconds.
        static let exactValues = "CairnExactValues"

        static let all: Set<String> = [
            framework, hashes, hashesVersion, versions, model, rootEntities, nextKeys,
            exactValues,
        ]
    }

    /// The system identifier of the DOCTYPE.
    static let systemIdentifier = "file:///System/Library/DTDs/CoreData.dtd"

    /// Checks that a DOCTYPE is Core Data's own, the only one that a document may have.
    static func check(_ type: SAXDocumentType, line: Int) throws(XMLDamage) {
        guard type.name == "database", type.publicID == nil, type.systemID == systemIdentifier
        else {
            throw XMLDamage(
                line: line, detail: "a DOCTYPE other than Core Data's",
                otherKind: "an XML document with a DOCTYPE other than Core Data's")
        }
    }

    /// `version` of every file seen.
    static let formatVersion = "134481920"

    var identifier = ""
    /// The property list of the metadata.
    var entries: [String: MetadataValue] = [:]
    var objects: [Object] = []
    var attributes: [Attribute] = []
    var relationships: [Relationship] = []
    /// The names of types and properties.
    var names = DocumentNames()
    /// The texts of all attributes, as UTF-8.
    var texts: [UInt8] = []
    /// Identifiers and order keys.
    var numbers: [Int64] = []

    /// Returns the range of an attribute's text in ``texts``.
    func text(ofAttribute index: Int) -> Range<Int> {
        (index > 0 ? attributes[index - 1].textEnd : 0)..<attributes[index].textEnd
    }

    /// Whether the first bytes of an XML document are those of a store.
    static func begins(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.contains("<!DOCTYPE database ") || text.contains("<database>")
    }

    /// Whether only the head was read, so that nothing is known about the objects.
    private var isHead = false

    /// Reads a document, and checks its checksum if it has one; or reads only the head of a
    /// document.
    ///
    /// - Throws: `.notAStore` for a document of another kind, `.corrupt`.
    init(_ bytes: [UInt8], at location: StoreLocation) throws(StoreError) {
        guard ChecksumComment.isSound(bytes) else {
            throw .corrupt(
                location, location: "the whole file",
                detail: "its bytes are not what was written; after a change by hand on purpose,"
                    + " remove the last line, which holds the checksum")
        }
        var handler = DocumentHandler(byteCount: bytes.count)
        do throws(XMLDamage) {
            try SAXParser.parse(HeadBytes.document(bytes), into: &handler)
            self = try handler.finish()
            isHead = HeadBytes.isHead(bytes)
        } catch {
            if let kind = error.otherKind {
                throw .notAStore(location, expected: XMLStore.type, found: kind)
            }
            throw .corrupt(location, location: "line \(error.line)", detail: error.detail)
        }
    }

    /// Creates an empty document.
    ///
    /// Reserves capacity for what a document of `byteCount` bytes usually contains, because an
    /// array that grows is copied. Reserved memory that is never written to costs nothing.
    init(byteCount: Int) {
        texts.reserveCapacity(byteCount / 3)
        attributes.reserveCapacity(byteCount / 64)
    }

    // MARK: What the file says of itself

    var metadata: StoreMetadata {
        StoreMetadata(
            identifier: identifier, type: XMLStore.type, entityVersionHashes: hashes,
            modelVersionIdentifiers: texts(Key.versions),
            frameworkVersion: framework,
            values: values)
    }

    /// The application's values. An exact value is used if the plain value is what it is cut to.
    /// Otherwise another program has set the plain value since.
    private var values: [String: MetadataValue] {
        let plain = entries.filter { !Key.all.contains($0.key) }
        guard case .data(let bytes)? = entries[Key.exactValues],
            case .dictionary(let exact)? = bytes.withUnsafeBytes({ MetadataCodec.decode($0) })
        else { return plain }
        return plain.merging(exact.filter { plain[$0.key] == $0.value.inWholeSeconds }) { $1 }
    }

    private var framework: Int? {
        if case .integer(let version)? = entries[Key.framework] { Int(version) } else { nil }
    }

    private var hashes: [String: VersionHash] {
        guard case .dictionary(let hashes)? = entries[Key.hashes] else { return [:] }
        return hashes.compactMapValues { value in
            if case .data(let data) = value { VersionHash(data) } else { nil }
        }
    }

    /// The names of the root entities by index, see ``ObjectIdentifiers``. `nil` means that
    /// identifiers are keys.
    var rootEntities: [String]? {
        entries[Key.rootEntities] == nil ? nil : texts(Key.rootEntities)
    }

    /// The first key that was never given, by name of the root entity.
    var nextKeys: [String: Int64] {
        guard case .dictionary(let keys)? = entries[Key.nextKeys] else { return [:] }
        return keys.compactMapValues { value in
            if case .integer(let key) = value { key } else { nil }
        }
    }

    /// The first key of this engine's metadata whose value has a wrong type. `nil` if there is no
    /// such key.
    var malformedKey: String? {
        [Key.rootEntities, Key.nextKeys].first { key in
            switch entries[key] {
            case nil: false
            case .array(let members): key != Key.rootEntities || texts(key).count != members.count
            case .dictionary(let keys): key != Key.nextKeys || nextKeys.count != keys.count
            default: true
            }
        }
    }

    private func texts(_ key: String) -> [String] {
        guard case .array(let members)? = entries[key] else { return [] }
        return members.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }

    /// The archive of the model. `nil` in a file that this engine has not written, because Core
    /// Data's files contain no model.
    var modelArchive: Data? {
        if case .data(let data)? = entries[Key.model] { data } else { nil }
    }

    /// The number of objects of each entity. An entity's name is that in the hashes, or else that
    /// in the objects. `nil` if only the head was read.
    var entityCounts: [String: Int]? {
        if isHead { return nil }
        let names = Dictionary(
            hashes.keys.map { ($0.uppercased(), $0) }, uniquingKeysWith: { first, _ in first })
        var counts = hashes.mapValues { _ in 0 }
        for object in objects {
            let type = self.names[object.type]
            let name = counts[type] != nil ? type : names[type.uppercased()]
            counts[name ?? type, default: 0] += 1
        }
        return counts
    }
}
