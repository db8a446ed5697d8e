import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore

/// Decodes the bytes that ``RequestEncoder`` wrote into a request for a store that was opened with
/// the journal's model.
struct RequestDecoder {
    let layouts: RowLayouts
    /// The store's number in the IDs of its objects.
    let store: StoreNumber

    /// Returns `nil` if the bytes are not a request.
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
        request.author = author.value
        request.contextName = contextName.value
        return request
    }

    /// Returns `false` if the next bytes are not a row of the model.
    private func appendRow(_ reader: inout ByteReader, to writer: inout RowWriter) -> Bool {
        var ahead = reader
        guard let byteCount = ahead.integer(UInt32.self),
            let bytes = reader.take(Int(byteCount))
        else { return false }
        do throws(RowDamage) {
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
            RequestEncoder.kinds.indices.contains(Int(kind)),
            let relationship = layouts.model.entity(numbered: EntityNumber(entity))?
                .relationship(named: name)
        else { return nil }
        return PairChange(
            RequestEncoder.kinds[Int(kind)], relationship, owner: owner, member: member,
            orderKey: orderKey.value, inverseOrderKey: inverseOrderKey.value)
    }
}

/// The result of reading an optional value. `value` is `nil` if the bytes say that there is no
/// value.
private struct Optionally<Value> {
    let value: Value?
}

extension ByteReader {
    fileprivate mutating func optionalText() -> Optionally<String>? {
        switch integer(UInt8.self) {
        case 0: return Optionally(value: nil)
        case 1:
            guard let block = block(behind: UInt64.self),
                let text = String(validating: block, as: UTF8.self)
            else { return nil }
            return Optionally(value: text)
        default: return nil
        }
    }

    fileprivate mutating func optionalInteger() -> Optionally<Int64>? {
        switch integer(UInt8.self) {
        case 0: Optionally(value: nil)
        case 1: integer(Int64.self).map { Optionally(value: $0) }
        default: nil
        }
    }
}
