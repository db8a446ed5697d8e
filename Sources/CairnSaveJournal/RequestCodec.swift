import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore

/// Encodes a ``SaveRequest`` for a journal, and decodes it for a store.
///
/// Entities are identified by their numbers in the saver's model, which the same journal contains.
struct RequestCodec {
    /// The kinds of changes. The bytes contain a kind's index in this array.
    fileprivate static let kinds: [PairChange.Kind] = [.insert, .delete, .reorder]

    static func encode(_ request: SaveRequest) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(number: UInt64(request.inserted.count))
        for row in request.inserted.rows { bytes.append(row) }
        bytes.append(number: UInt64(request.updated.count))
        for update in request.updated {
            bytes.append(number: update.previousVersion)
            let slots = Array(update.changedSlots)
            bytes.append(number: UInt32(slots.count))
            for slot in slots { bytes.append(number: UInt32(slot)) }
            bytes.append(update.row)
        }
        bytes.append(number: UInt64(request.deleted.count))
        for deletion in request.deleted {
            bytes.append(deletion.id)
            bytes.append(number: deletion.previousVersion)
        }
        bytes.append(number: UInt64(request.pairs.count))
        for change in request.pairs { bytes.append(change) }
        bytes.append(block: MetadataValue.dictionary(request.metadata).bytes)
        bytes.append(optional: request.author)
        bytes.append(optional: request.contextName)
        return bytes
    }

    // MARK: Decoding

    /// The layouts of the journal's model, with which the store was opened.
    let layouts: RowLayouts
    /// The store's number in the IDs of its objects.
    let store: StoreNumber

    /// Decodes bytes into a request for the store. Returns `nil` if they are not a request.
    func decode(_ bytes: [UInt8]) -> SaveRequest? {
        bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            guard let request = request(&reader), reader.rest == 0 else { return nil }
            return request
        }
    }

    private func request(_ reader: inout ByteReader) -> SaveRequest? {
        var writer = RowWriter(store: store)
        var request = SaveRequest()
        guard let insertedCount = reader.integer(UInt64.self) else { return nil }
        for _ in 0..<insertedCount where !appendRow(&reader, to: &writer) { return nil }
        request.inserted = writer.takeBatch()
        guard let updatedCount = reader.integer(UInt64.self) else { return nil }
        for _ in 0..<updatedCount {
            guard let update = update(&reader, &writer) else { return nil }
            request.updated.append(update)
        }
        guard let deletedCount = reader.integer(UInt64.self) else { return nil }
        for _ in 0..<deletedCount {
            guard let id = objectID(&reader), let version = reader.integer(Int64.self) else {
                return nil
            }
            request.deleted.append(RowDeletion(id: id, previousVersion: version))
        }
        guard let pairCount = reader.integer(UInt64.self) else { return nil }
        for _ in 0..<pairCount {
            guard let change = pairChange(&reader) else { return nil }
            request.pairs.append(change)
        }
        guard let block = reader.block(behind: UInt64.self),
            case .dictionary(let metadata)? = MetadataValue(bytes: block),
            let author = reader.optionalText(), let contextName = reader.optionalText()
        else { return nil }
        request.metadata = metadata
        request.author = author
        request.contextName = contextName
        return request
    }

    /// Returns `false` if the next bytes are not a row of the model.
    private func appendRow(_ reader: inout ByteReader, to writer: inout RowWriter) -> Bool {
        var ahead = reader
        guard let byteCount = ahead.integer(UInt32.self),
            let bytes = reader.take(Int(byteCount))
        else { return false }
        do {
            try writer.append(bytes: bytes, checkedBy: layouts)
            return true
        } catch {
            return false
        }
    }

    private func update(_ reader: inout ByteReader, _ writer: inout RowWriter) -> RowUpdate? {
        guard let version = reader.integer(Int64.self), let count = reader.integer(UInt32.self)
        else { return nil }
        var slots = SlotSet()
        for _ in 0..<count {
            // Slot numbers are 16-bit numbers.
            guard let slot = reader.integer(UInt32.self), slot <= UInt16.max else { return nil }
            slots.insert(Int(slot))
        }
        guard appendRow(&reader, to: &writer), let row = writer.takeRow() else { return nil }
        return RowUpdate(row: row, previousVersion: version, changedSlots: slots)
    }

    private func objectID(_ reader: inout ByteReader) -> ObjectID? {
        guard let root = reader.integer(UInt16.self), let entity = reader.integer(UInt16.self),
            let key = reader.integer(Int64.self),
            layouts.model.entity(numbered: EntityNumber(entity))?.rootEntity.number
                == EntityNumber(root)
        else { return nil }
        return ObjectID(
            store: store, rootEntity: EntityNumber(root), entity: EntityNumber(entity), key: key)
    }

    private func pairChange(_ reader: inout ByteReader) -> PairChange? {
        guard let kind = reader.integer(UInt8.self), let entity = reader.integer(UInt16.self),
            let name = reader.block(behind: UInt64.self).flatMap({
                String(validating: $0, as: UTF8.self)
            }),
            let owner = objectID(&reader), let member = objectID(&reader),
            let orderKey = reader.optionalInteger(),
            let inverseOrderKey = reader.optionalInteger(),
            Self.kinds.indices.contains(Int(kind)),
            let relationship = layouts.model.entity(numbered: EntityNumber(entity))?
                .relationship(named: name)
        else { return nil }
        return PairChange(
            Self.kinds[Int(kind)], relationship, owner: owner, member: member,
            orderKey: orderKey, inverseOrderKey: inverseOrderKey)
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ row: Row) {
        row.withBytes { append(contentsOf: $0) }
    }

    fileprivate mutating func append(_ id: ObjectID) {
        append(number: id.rootEntity.rawValue)
        append(number: id.entity.rawValue)
        append(number: id.key)
    }

    fileprivate mutating func append(_ change: PairChange) {
        append(UInt8(RequestCodec.kinds.firstIndex(of: change.kind) ?? 0))
        append(number: change.relationship.entity.number.rawValue)
        append(block: change.relationship.name.utf8)
        append(change.owner)
        append(change.member)
        append(optional: change.orderKey)
        append(optional: change.inverseOrderKey)
    }

    /// Appends whether the text is present, followed by the text.
    fileprivate mutating func append(optional text: String?) {
        append(text == nil ? 0 : 1)
        if let text { append(block: text.utf8) }
    }

    /// Appends whether the number is present, followed by the number.
    fileprivate mutating func append(optional number: Int64?) {
        append(number == nil ? 0 : 1)
        if let number { append(number: number) }
    }
}

extension ByteReader {
    /// Reads a text that may be absent. Returns `nil` if the bytes are neither, and `.some(nil)` if they say that
    /// there is no text.
    fileprivate mutating func optionalText() -> String?? {
        switch integer(UInt8.self) {
        case 0: .some(nil)
        case 1: block(behind: UInt64.self).flatMap { String(validating: $0, as: UTF8.self) }
        default: nil
        }
    }

    /// Reads a number that may be absent, in the same way as ``optionalText()``.
    fileprivate mutating func optionalInteger() -> Int64?? {
        switch integer(UInt8.self) {
        case 0: .some(nil)
        case 1: integer(Int64.self)
        default: nil
        }
    }
}
