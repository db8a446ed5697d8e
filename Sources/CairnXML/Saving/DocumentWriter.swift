import CairnAtomicStore
import CairnEngineKit
import CairnFiles
import CairnModel
import CairnRows
import CairnStore

/// Writes a store's content in Core Data's XML form, directly from its packed rows.
struct DocumentWriter: ~Copyable {
    private let content: StoreContent
    private let identifiers: ObjectIdentifiers
    private let forms: ObjectForms
    private var bytes: DocumentBytes

    /// The maximum length of a tag that libxml2 parses: `XML_MAX_LOOKUP_LIMIT` in parserInternals.h.
    private static let tagByteCountLimit = 10_000_000

    /// - Throws: `.unsupportedValue` for a name that XML cannot represent.
    init(
        _ content: StoreContent, names: NameTable, identifiers: ObjectIdentifiers
    ) throws(StoreError) {
        self.content = content
        self.identifiers = identifiers
        forms = try ObjectForms(content.layouts, names)
        // Text takes about six times as many bytes as packed rows.
        bytes = DocumentBytes(capacity: 65_536 + 8 * content.table.byteCount)
    }

    /// - Parameter head: The bytes before the objects.
    consuming func write(after head: [UInt8]) throws(StoreError) -> FileParts {
        bytes.append(head)
        for root in content.table.schema.rootEntities {
            let rows = content.table.rows(root: root)
            var position = rows.start
            while let (_, row) = rows.next(&position) { try write(row) }
        }
        bytes.append("</database>\n")
        bytes.append(bytes.withBytes { ChecksumComment.text(for: $0) })
        // The bytes are passed on without copying them. A copy would take a third of the time for a save.
        let document = HeldDocument(bytes)
        var parts = FileParts(owner: document)
        document.bytes.withBytes { parts.append(held: $0) }
        return parts
    }

    private mutating func write(_ row: Row) throws(StoreError) {
        let index = Int(row.entity.rawValue) - 1
        guard forms.objects.indices.contains(index) else { return }
        let form = forms.objects[index]
        bytes.append(form.start, of: forms.bytes)
        bytes.append(try identifiers.number(root: row.rootEntity, key: row.key, in: content))
        if row.version != 1 {
            bytes.append("\" version=\"")
            bytes.append(row.version)
        }
        bytes.append("\">\n")
        for attributeIndex in form.attributes {
            let attribute = forms.attributes[attributeIndex]
            if row.isNull(attribute.slot) { continue }
            bytes.append(attribute.start, of: forms.bytes)
            guard bytes.append(attribute.slot, of: row) else {
                throw unsupported(attribute.slot, of: row)
            }
        }
        for relationshipIndex in form.relationships {
            try writeRelationship(at: relationshipIndex, of: row)
        }
        bytes.append("    </object>\n")
    }

    private func unsupported(_ slot: RowLayout.Slot, of row: Row) -> StoreError {
        let layout = content.layouts.layout(of: row.entity)
        return .unsupportedValue(
            entity: layout?.entity.name ?? "",
            attribute: layout?.properties[Int(slot.index)].name ?? "",
            reason: "reading it back would not give the same value")
    }

    // MARK: Relationships

    /// - Parameter index: The index of the relationship in ``forms``.
    private mutating func writeRelationship(at index: Int, of row: Row) throws(StoreError) {
        let start = bytes.count
        let form = forms.relationships[index]
        bytes.append(form.start, of: forms.bytes)
        if form.slot == nil {
            try writeMembers(forms.properties[index], of: row)
        } else if let slot = form.slot, !row.isNull(slot) {
            let id = row.objectID(slot)
            bytes.append(" idrefs=\"z")
            bytes.append(try identifiers.number(root: id.rootEntity, key: id.key, in: content))
            bytes.append("\"")
        }
        guard bytes.count - start < Self.tagByteCountLimit else {
            let relationship = forms.properties[index]
            throw .unsupportedValue(
                entity: relationship.entity.name, attribute: relationship.name,
                reason: "it has more members than an XML attribute can list")
        }
        bytes.append("></relationship>\n")
    }

    private mutating func writeMembers(
        _ relationship: Relationship, of row: Row
    ) throws(StoreError) {
        var (keys, orderKeys): ([Int64], [Int64]) = ([], [])
        content.table.forEachMember(of: relationship, owner: row.key) { member, orderKey in
            keys.append(member.key)
            if let orderKey { orderKeys.append(orderKey) }
        }
        guard !keys.isEmpty else { return }
        let root = relationship.destination.rootEntity.number
        var separator: StaticString = " idrefs=\"z"
        for key in keys {
            bytes.append(separator)
            bytes.append(try identifiers.number(root: root, key: key, in: content))
            separator = " z"
        }
        bytes.append("\"")
        if orderKeys.indices.allSatisfy({ orderKeys[$0] == Int64($0) }) { return }
        separator = " orderkeys=\""
        for key in orderKeys {
            bytes.append(separator)
            bytes.append(key)
            separator = " "
        }
        bytes.append("\"")
    }
}

/// Keeps the bytes of a document alive until they are written to their file.
private final class HeldDocument {
    let bytes: DocumentBytes

    init(_ bytes: consuming DocumentBytes) { self.bytes = bytes }
}
