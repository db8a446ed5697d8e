import CairnAtomicStore
import CairnModel
import CairnStore
import Foundation

/// Writes a store's content in Core Data's XML form.
struct DocumentWriter {
    private let content: AtomicContent
    private let names: NameTable
    private let identifiers: ObjectIdentifiers
    private let model: Data
    private var writer = XMLWriter()

    /// The longest value of an attribute that libxml2 reads, XML_MAX_TEXT_LENGTH in parserInternals.h.
    private static let valueByteCountLimit = 10_000_000

    init(
        _ content: AtomicContent, names: NameTable, identifiers: ObjectIdentifiers, model: Data
    ) {
        self.content = content
        self.names = names
        self.identifiers = identifiers
        self.model = model
    }

    /// - Throws: `.unsupportedValue`, `.keysExhausted`.
    mutating func write() throws(StoreError) -> [UInt8] {
        writer.line("<?xml version=\"1.0\" standalone=\"yes\"?>")
        writer.line("<!DOCTYPE database SYSTEM \"\(SAXParser.systemIdentifier)\">")
        writer.line("")
        writer.begin("database")
        try writeHead()
        for root in content.table.schema.rootEntities {
            let rows = content.table.rows(root: root)
            var position = rows.start
            while let (_, row) = rows.next(&position) { try write(row) }
        }
        writer.end()
        return writer.bytes + ChecksumComment.text(for: writer.bytes)
    }

    // MARK: Head

    private mutating func writeHead() throws(StoreError) {
        writer.begin("databaseInfo")
        writer.element("version", [], StoreDocument.formatVersion)
        writer.element("UUID", [], content.metadata.identifier)
        writer.element("nextObjectID", [], "\(try highestIdentifier())")
        writer.begin("metadata")
        writer.begin("plist", [("version", "1.0")])
        try write(.dictionary(metadata), at: "metadata")
        writer.end()
        writer.end()
        writer.end()
    }

    /// The highest in use: so in every file of Core Data's.
    private func highestIdentifier() throws(StoreError) -> Int64 {
        var highest: Int64 = 0
        for root in content.table.schema.rootEntities {
            let key = content.table.highestKey(root: root)
            if key > 0 { highest = max(highest, try identifier(root: root, key: key)) }
        }
        return highest
    }

    private var metadata: [String: MetadataValue] {
        typealias Key = StoreDocument.Key
        let model = content.table.schema.layouts.model
        var entries = content.metadata.values
        entries[Key.framework] = content.metadata.frameworkVersion.map { .integer(Int64($0)) }
        entries[Key.hashes] = .dictionary(
            content.metadata.entityVersionHashes.mapValues { .data($0.data) })
        entries[Key.hashesVersion] = 3
        entries[Key.versions] = .array(
            content.metadata.modelVersionIdentifiers.map(MetadataValue.string))
        entries[Key.model] = .data(self.model)
        func name(_ entity: EntityNumber) -> String? { model.entity(numbered: entity)?.name }
        entries[Key.rootEntities] = identifiers.roots.map { roots in
            .array(roots.compactMap(name).map(MetadataValue.string))
        }
        var nextKeys: [String: MetadataValue] = [:]
        for (entity, key) in content.nextKeys {
            if let name = name(entity) { nextKeys[name] = .integer(key) }
        }
        entries[Key.nextKeys] = .dictionary(nextKeys)
        return entries
    }

    private mutating func write(_ value: MetadataValue, at key: String) throws(StoreError) {
        switch value {
        case .string(let text): writer.element("string", [], try checked(text, at: key))
        case .integer(let number): writer.element("integer", [], "\(number)")
        case .real(let number): writer.element("real", [], number.description)
        case .boolean(let flag): writer.line(flag ? "<true/>" : "<false/>")
        case .date(let date): writer.element("date", [], try text(of: date, at: key))
        case .data(let data): writer.element("data", [], data.base64EncodedString())
        case .array(let members):
            writer.begin("array")
            for member in members { try write(member, at: key) }
            writer.end()
        case .dictionary(let entries):
            writer.begin("dict")
            for (name, member) in entries.sorted(by: {
                $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
            }) {
                writer.element("key", [], try checked(name, at: key))
                try write(member, at: name)
            }
            writer.end()
        }
    }

    private func checked(_ text: String, at key: String) throws(StoreError) -> String {
        guard XMLText.canHold(text) else {
            throw .unsupportedValue(
                entity: "metadata", attribute: key,
                reason: "its text has a character that XML cannot hold")
        }
        return text
    }

    private func text(of date: Date, at key: String) throws(StoreError) -> String {
        let seconds = date.timeIntervalSinceReferenceDate
        // The years 1 to 9999, which a property list can tell.
        guard seconds.rounded() == seconds, seconds > -63_113_904_000, seconds < 252_423_993_600
        else {
            throw .unsupportedValue(
                entity: "metadata", attribute: key,
                reason: "a property list keeps whole seconds of the years 1 to 9999")
        }
        return date.formatted(.iso8601)
    }

    // MARK: Objects

    private mutating func write(_ row: Row) throws(StoreError) {
        guard let layout = content.table.schema.layouts.layout(of: row.entity) else { return }
        let id = try identifier(root: row.rootEntity, key: row.key)
        var attributes = [("type", names.name(of: layout.entity)), ("id", "z\(id)")]
        if row.version != 1 { attributes.append(("version", "\(row.version)")) }
        writer.begin("object", attributes)
        for (property, slot) in zip(layout.properties, layout.slots)
        where slot.kind != .toOne && !row.isNull(slot) {
            try writeAttribute(property.name, slot, of: row, layout.entity)
        }
        for relationship in layout.entity.relationships where !relationship.isTransient {
            try write(relationship, of: row, layout)
        }
        writer.end()
    }

    private mutating func writeAttribute(
        _ name: String, _ slot: RowLayout.Slot, of row: Row, _ entity: Entity
    ) throws(StoreError) {
        guard let form = ValueText.form(of: row, slot) else {
            throw .unsupportedValue(
                entity: entity.name, attribute: name,
                reason: "its text would not be read back as the same value")
        }
        var attributes = [("name", names.name(of: name, of: entity)), ("type", form.type)]
        if form.isEncoded { attributes.append(("encoding", "base64")) }
        writer.element("attribute", attributes, form.text)
    }

    private mutating func write(
        _ relationship: Relationship, of row: Row, _ layout: RowLayout
    ) throws(StoreError) {
        var ids: [Int64] = []
        var orderKeys: [Int64] = []
        if relationship.isToMany {
            var members: [(Int64, Int64?)] = []
            content.table.forEachMember(of: relationship, owner: row.key) { member, orderKey in
                members.append((member.key, orderKey))
            }
            let root = relationship.destination.rootEntity.number
            for (key, orderKey) in members {
                ids.append(try identifier(root: root, key: key))
                if let orderKey { orderKeys.append(orderKey) }
            }
        } else if let slot = relationship.rowSlot.map({ layout.slots[$0] }), !row.isNull(slot) {
            let id = row.objectID(slot)
            ids = [try identifier(root: id.rootEntity, key: id.key)]
        }
        writer.element(
            "relationship", try attributes(of: relationship, layout.entity, ids, orderKeys))
    }

    private func attributes(
        of relationship: Relationship, _ entity: Entity, _ ids: [Int64], _ orderKeys: [Int64]
    ) throws(StoreError) -> [(String, String)] {
        var attributes = [
            ("name", names.name(of: relationship.name, of: entity)),
            ("type", relationship.isToMany ? "0/0" : "1/1"),
            ("destination", names.name(of: relationship.destination)),
        ]
        if ids.isEmpty { return attributes }
        attributes.append(("idrefs", ids.map { "z\($0)" }.joined(separator: " ")))
        if orderKeys != Array(0..<Int64(orderKeys.count)) {
            attributes.append(("orderkeys", orderKeys.map { "\($0)" }.joined(separator: " ")))
        }
        guard attributes.allSatisfy({ $0.1.utf8.count < Self.valueByteCountLimit }) else {
            throw .unsupportedValue(
                entity: entity.name, attribute: relationship.name,
                reason: "it has more members than an XML attribute can name")
        }
        return attributes
    }

    private func identifier(root: EntityNumber, key: Int64) throws(StoreError) -> Int64 {
        guard let id = identifiers.identifier(root: root, key: key) else {
            let name = content.table.schema.layouts.model.entity(numbered: root)?.name
            throw .keysExhausted(entity: name ?? "\(root.rawValue)")
        }
        return id
    }
}
