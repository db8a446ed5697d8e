import CairnAtomicStore
import CairnEngineKit
import CairnModel
import CairnSAX
import CairnStore
import Foundation

/// Writes the head of a document, which precedes the objects: the version, the identifier and the metadata.
struct HeadWriter {
    private let content: StoreContent
    private let identifiers: ObjectIdentifiers
    private var writer = XMLWriter()

    init(_ content: StoreContent, identifiers: ObjectIdentifiers) {
        self.content = content
        self.identifiers = identifiers
    }

    mutating func write() throws(StoreError) -> [UInt8] {
        writer.line("<?xml version=\"1.0\" standalone=\"yes\"?>")
        writer.line("<!DOCTYPE database SYSTEM \"\(StoreDocument.systemIdentifier)\">")
        writer.line("")
        writer.begin("database")
        try writeHead()
        try verify()
        return writer.bytes
    }

    /// Parses the head before a file with it replaces an old one. The head contains names and values of the
    /// application, which XML may not be able to represent, or which may be nested too deeply. Objects do not
    /// need this check, because reading each of their values is known to give an equal value.
    private func verify() throws(StoreError) {
        do {
            let bytes = writer.bytes + Array("</database>".utf8)
            var handler = DocumentHandler(byteCount: bytes.count)
            try SAXParser.parse(bytes, into: &handler)
        } catch {
            throw .unsupportedValue(
                entity: "the store", attribute: "line \(error.line)",
                reason: "XML cannot represent it: \(error.detail)")
        }
    }

    private mutating func writeHead() throws(StoreError) {
        writer.begin("databaseInfo")
        writer.element("version", StoreDocument.formatVersion)
        writer.element("UUID", content.metadata.identifier)
        writer.element("nextObjectID", "\(try highestIdentifier())")
        writer.begin("metadata")
        writer.begin("plist", [("version", "1.0")])
        try write(.dictionary(metadata), at: "metadata")
        writer.end()
        writer.end()
        writer.end()
    }

    /// Returns the highest identifier in use, which all files of Core Data contain.
    private func highestIdentifier() throws(StoreError) -> Int64 {
        var highest: Int64 = 0
        for root in content.table.schema.rootEntities {
            let key = content.table.highestKey(root: root)
            guard key > 0 else { continue }
            highest = max(highest, try identifiers.number(root: root, key: key, in: content))
        }
        return highest
    }

    private var metadata: [String: MetadataValue] {
        typealias Key = StoreDocument.Key
        let model = content.layouts.model
        var entries = content.metadata.values
        entries[Key.framework] = content.metadata.frameworkVersion.map { .integer(Int64($0)) }
        entries[Key.hashes] = .dictionary(
            content.metadata.entityVersionHashes.mapValues { .data($0.data) })
        entries[Key.hashesVersion] = 3
        entries[Key.versions] = .array(
            content.metadata.modelVersionIdentifiers.map(MetadataValue.string))
        entries[Key.model] = .data(content.modelArchive)
        entries[Key.rootEntities] = identifiers.roots.map { roots in
            .array(roots.compactMap { model.entity(numbered: $0)?.name }.map(MetadataValue.string))
        }
        entries[Key.nextKeys] = .dictionary(content.nextKeysByName.mapValues(MetadataValue.integer))
        let exact = content.metadata.values.filter { $0.value != $0.value.inWholeSeconds }
        if !exact.isEmpty {
            entries[Key.exactValues] = .data(Data(MetadataCodec.encode(.dictionary(exact))))
        }
        return entries
    }

    private mutating func write(_ value: MetadataValue, at key: String) throws(StoreError) {
        switch value {
        case .string(let text): writer.element("string", try checked(text, at: key))
        case .integer(let number): writer.element("integer", "\(number)")
        case .real(let number): writer.element("real", number.description)
        case .boolean(let flag): writer.line(flag ? "<true/>" : "<false/>")
        case .date(let date): writer.element("date", try text(of: date, at: key))
        case .data(let data): writer.element("data", data.base64EncodedString())
        case .array(let members):
            writer.begin("array")
            for member in members { try write(member, at: key) }
            writer.end()
        case .dictionary(let entries):
            writer.begin("dict")
            for (name, member) in entries.sorted(by: {
                $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
            }) {
                writer.element("key", try checked(name, at: key))
                try write(member, at: name)
            }
            writer.end()
        }
    }

    private func checked(_ text: String, at key: String) throws(StoreError) -> String {
        guard XMLText.canHold(text) else {
            throw .unsupportedValue(
                entity: "metadata", attribute: key,
                reason: "it contains a character that XML cannot represent")
        }
        return text
    }

    private func text(of date: Date, at key: String) throws(StoreError) -> String {
        let seconds = date.timeIntervalSinceReferenceDate.rounded(.down)
        // The range that a property list can represent: the years 1 to 9999.
        guard seconds > -63_113_904_000, seconds < 252_423_993_600
        else {
            throw .unsupportedValue(
                entity: "metadata", attribute: key,
                reason: "a property list can only contain dates of the years 1 to 9999")
        }
        return Date(timeIntervalSinceReferenceDate: seconds).formatted(.iso8601)
    }
}

extension MetadataValue {
    /// The value in the precision of an XML property list, in which dates are rounded down to whole seconds.
    var inWholeSeconds: MetadataValue {
        switch self {
        case .date(let date):
            let seconds = date.timeIntervalSinceReferenceDate.rounded(.down)
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .array(let members): return .array(members.map(\.inWholeSeconds))
        case .dictionary(let entries): return .dictionary(entries.mapValues(\.inWholeSeconds))
        case .string, .integer, .real, .boolean, .data: return self
        }
    }
}
