import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore

/// Encodes a ``SaveRequest``, for ``RequestDecoder`` to read.
///
/// Entities are identified by their numbers in the saver's model, which the same journal contains.
enum RequestEncoder {
    static func encode(_ request: SaveRequest) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(UInt64(request.inserted.count))
        for row in request.inserted.rows { writer.append(row) }
        writer.append(UInt64(request.updated.count))
        for update in request.updated {
            writer.append(update.previousVersion)
            let slots = Array(update.changedSlots)
            writer.append(UInt32(slots.count))
            for slot in slots { writer.append(UInt32(slot)) }
            writer.append(update.row)
        }
        writer.append(UInt64(request.deleted.count))
        for deletion in request.deleted {
            writer.append(deletion.id)
            writer.append(deletion.previousVersion)
        }
        writer.append(UInt64(request.pairs.count))
        for change in request.pairs { writer.append(change) }
        writer.append(block: MetadataValue.dictionary(request.metadata).bytes)
        writer.append(request.author)
        writer.append(request.contextName)
        return writer.bytes
    }

    /// The kinds of changes. The bytes contain a kind's index in this array.
    static let kinds: [PairChange.Kind] = [.insert, .delete, .reorder]
}

extension ByteWriter {
    fileprivate mutating func append(_ row: Row) { row.withBytes { append($0) } }

    fileprivate mutating func append(_ id: ObjectID) {
        append(id.rootEntity.rawValue)
        append(id.entity.rawValue)
        append(id.key)
    }

    fileprivate mutating func append(_ change: PairChange) {
        append(UInt8(RequestEncoder.kinds.firstIndex(of: change.kind) ?? 0))
        append(change.relationship.entity.number.rawValue)
        append(block: change.relationship.name.utf8)
        append(change.owner)
        append(change.member)
        append(change.orderKey)
        append(change.inverseOrderKey)
    }
}
