import CairnAtomicStore
import CairnEngineKit
import CairnModel
import CairnSAX
import CairnStore
import Foundation

/// The content of an XML store's file as text that is not yet interpreted by a model.
///
/// Elements are stored in a few large arrays and refer to each other by index, because there are about a
/// dozen elements for each object.
struct StoreDocument: AtomicHead {
    /// An `object` element.
    struct Object {
        /// The index of the type in ``StoreDocument/names``.
        let type: Int
        let id: Int64
        let version: Int64
        let line: Int
        /// The ranges of the object's attributes and relationships in those of the document.
        var attributes: Range<Int>
        var relationships: Range<Int>
    }

    /// An `attribute` element of an object. It has only 24 bytes, because documents contain many of them.
    struct Attribute {
        /// The index of the name in ``StoreDocument/names``.
        let name: Int32
        let line: Int32
        /// The end of the text in ``StoreDocument/texts``. The text begins at the end of the previous one.
        let textEnd: Int
        /// Whether the text is the Base64 of the value's UTF-8.
        let isEncoded: Bool
    }

    /// A `relationship` element of an object.
    struct Relationship {
        /// The index of the name in ``StoreDocument/names``.
        let name: Int
        /// The indices of the members in ``StoreDocument/numbers``.
        let ids: Range<Int>
        /// Whether the members are followed by the same number of order keys. Otherwise, the order key of a
        /// member is its index.
        let hasOrderKeys: Bool
        let line: Int
    }

    /// The keys of metadata that does not belong to the application.
    enum Key {
        static let framework = "NSPersistenceFrameworkVersion"
        static let hashes = "NSStoreModelVersionHashes"
        static let hashesVersion = "NSStoreModelVersionHashesVersion"
        static let versions = "NSStoreModelVersionIdentifiers"
        static let model = "CairnModel"
        static let rootEntities = "CairnRootEntities"
        static let nextKeys = "CairnNextKeys"
        /// The values with dates that a property list would round to whole seconds.
        static let exactValues = "CairnExactValues"

        static let all: Set<String> = [
            framework, hashes, hashesVersion, versions, model, rootEntities, nextKeys,
            exactValues,
        ]
    }

    /// The system identifier of the DOCTYPE.
    static let systemIdentifier = "file:///System/Library/DTDs/CoreData.dtd"

    /// Checks that the DOCTYPE is Core Data's, which is the only one that a document may have.
    ///
    /// - Throws: An error with ``XMLDamage/otherKind`` if it is a different one.
    static func check(_ type: SAXDocumentType, line: Int) throws(XMLDamage) {
        guard type.name == "database", type.publicID == nil, type.systemID == systemIdentifier
        else {
            throw XMLDamage(
                line: line, detail: "the DOCTYPE is not that of Core Data",
                otherKind: "an XML document with a DOCTYPE other than Core Data's")
        }
    }

    /// The `version` in all known files.
    static let formatVersion = "134481920"

    var identifier = ""
    /// The property list of the metadata.
    var entries: [String: MetadataValue] = [:]
    var objects: [Object] = []
    var attributes: [Attribute] = []
    var relationships: [Relationship] = []
    /// The names of the types and properties.
    var names = DocumentNames()
    /// The texts of all attributes, as UTF-8.
    var texts: [UInt8] = []
    /// Identifiers and order keys of relationships.
    var numbers: [Int64] = []

    /// Returns the range of an attribute's text in ``texts``.
    func text(ofAttribute index: Int) -> Range<Int> {
        (index > 0 ? attributes[index - 1].textEnd : 0)..<attributes[index].textEnd
    }

    /// Returns whether the first bytes of an XML document are those of a store.
    static func begins(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.contains("<!DOCTYPE database ") || text.contains("<database>")
    }

    /// Whether only the head was read, so that the objects are not known.
    private var isHead = false

    /// Reads a whole document, including its checksum if it has one, or only the head of a document.
    ///
    /// - Throws: `.notAStore` if it is a different kind of document, or `.corrupt`.
    init(_ bytes: [UInt8], at location: StoreLocation) throws(StoreError) {
        guard ChecksumComment.isValid(bytes) else {
            throw .corrupt(
                location, location: "the whole file",
                detail: "its checksum is wrong. If you changed the file on purpose, remove its last"
                    + " line, which contains the checksum")
        }
        var handler = DocumentHandler(byteCount: bytes.count)
        do {
            try SAXParser.parse(Self.document(bytes), into: &handler)
            self = try handler.finish()
            isHead = Self.isHead(bytes)
        } catch {
            if let kind = error.otherKind {
                throw .notAStore(location, expected: XMLStore.type, found: kind)
            }
            throw .corrupt(location, location: "line \(error.line)", detail: error.detail)
        }
    }

    /// Creates an empty document.
    ///
    /// Reserves enough capacity for a typical document of `byteCount` bytes, because an array is copied when
    /// it grows. Reserved memory that is never written to has no cost.
    init(byteCount: Int) {
        texts.reserveCapacity(byteCount / 3)
        attributes.reserveCapacity(byteCount / 64)
    }

    // MARK: Metadata

    var metadata: StoreMetadata {
        StoreMetadata(
            identifier: identifier, type: XMLStore.type, entityVersionHashes: hashes,
            modelVersionIdentifiers: texts(Key.versions),
            frameworkVersion: framework,
            values: values)
    }

    /// The application's values. An exact value is used if the plain value is equal to it after rounding.
    /// Otherwise, another program has since changed the plain value.
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

    /// The names of the root entities by index, as in ``ObjectIdentifiers``. If `nil`, identifiers are keys.
    var rootEntities: [String]? {
        entries[Key.rootEntities] == nil ? nil : texts(Key.rootEntities)
    }

    /// The first key that was never used, by the name of the root entity.
    var nextKeys: [String: Int64] {
        guard case .dictionary(let keys)? = entries[Key.nextKeys] else { return [:] }
        return keys.compactMapValues { value in
            if case .integer(let key) = value { key } else { nil }
        }
    }

    /// The first key of this engine's metadata whose value has the wrong type, or `nil` if there is no such
    /// key.
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

    /// The archive of the model. `nil` in files that other programs wrote, because Core Data's files contain
    /// no model.
    var modelArchive: Data? {
        if case .data(let data)? = entries[Key.model] { data } else { nil }
    }

    /// The number of objects of each entity. The names are those in the hashes or, if they are missing there,
    /// those in the objects. `nil` if only the head was read.
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

/// The names of types and properties in a document, each stored once and identified by a number.
///
/// Objects usually have their elements in the same order as the previous object. Therefore, a name is first
/// compared with the one that followed the previous name the last time.
struct DocumentNames {
    private var texts: [String] = []
    private var numbers: [String: Int] = [:]
    /// The UTF-8 of all names.
    private var bytes: [UInt8] = []
    /// The range of each name in ``bytes``.
    private var byteRanges: [Range<Int>] = []
    /// For each name, the number of the name that followed it the last time.
    private var followers: [Int] = []
    private var last = 0

    /// The number of names.
    var count: Int { texts.count }

    /// The name with a number.
    subscript(number: Int) -> String { texts[number] }

    /// Returns the number of a name. Adds the name if it is new.
    ///
    /// - Parameter value: The value of an attribute as the parser provides it.
    mutating func number(of value: UnsafeBufferPointer<UInt8>) -> Int {
        if texts.isEmpty { return add(SAXAttributes.text(value)) }
        let guess = followers[last]
        let number = isWritten(guess, value) ? guess : add(SAXAttributes.text(value))
        followers[last] = number
        last = number
        return number
    }

    /// Returns whether a value from the parser is the name with a number. Returns `false` if the value
    /// contains an ampersand.
    private func isWritten(_ name: Int, _ value: UnsafeBufferPointer<UInt8>) -> Bool {
        let range = byteRanges[name]
        guard value.count == range.count, let start = value.baseAddress else { return false }
        return bytes.withUnsafeBufferPointer { bytes in
            bytes.baseAddress.map { memcmp(start, $0 + range.lowerBound, range.count) == 0 }
                ?? false
        }
    }

    private mutating func add(_ text: String) -> Int {
        if let number = numbers[text] { return number }
        numbers[text] = texts.count
        let start = bytes.count
        bytes += text.utf8
        texts.append(text)
        byteRanges.append(start..<bytes.count)
        followers.append(0)
        return texts.count - 1
    }
}

// The head is the part of a document before its objects. It is found without a parser, so that the metadata
// and the model can be read without the objects.
extension StoreDocument {
    private static let headEnd = Array("</databaseInfo>".utf8)
    private static let rest = Array("</database>".utf8)

    /// Returns the number of bytes up to the end of the head. Returns `nil` if the end is not found, or if it
    /// is preceded by a comment or a CDATA section, which may contain text that only looks like the end.
    static func headByteCount(_ bytes: [UInt8]) -> Int? {
        var index = 0
        while let start = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
            let markup = bytes[start...]
            if markup.starts(with: headEnd) { return start + headEnd.count }
            if markup.starts(with: "<!--".utf8) || markup.starts(with: "<![".utf8) { return nil }
            index = start + 1
        }
        return nil
    }

    /// Returns the head as a document without objects. If the bytes are not a head, returns them unchanged.
    private static func document(_ bytes: [UInt8]) -> [UInt8] {
        isHead(bytes) ? bytes + rest : bytes
    }

    /// Returns whether the bytes end at the end of the head, which a whole document never does.
    private static func isHead(_ bytes: [UInt8]) -> Bool {
        bytes.suffix(headEnd.count).elementsEqual(headEnd)
    }
}
