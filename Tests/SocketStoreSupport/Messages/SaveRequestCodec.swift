import CairnModel
import CairnRows
import CairnStore

extension MessageWriter {
    mutating func saveRequest(_ request: SaveRequest) {
        batch(request.inserted)
        list(request.updated) { writer, update in
            writer.row(update.row)
            writer.integer(update.previousVersion)
            writer.list(Array(update.changedSlots)) { $0.integer(UInt16(truncatingIfNeeded: $1)) }
        }
        list(request.deleted) { writer, deletion in
            writer.id(deletion.id)
            writer.integer(deletion.previousVersion)
        }
        list(request.pairs) { writer, pair in
            writer.integer(pair.kind.tag)
            writer.relationship(pair.relationship)
            writer.id(pair.owner)
            writer.id(pair.member)
            writer.optional(pair.orderKey) { $0.integer($1) }
            writer.optional(pair.inverseOrderKey) { $0.integer($1) }
        }
        values(request.metadata)
        optional(request.author) { $0.text($1) }
        optional(request.contextName) { $0.text($1) }
        optional(request.id) { $0.saveID($1) }
    }
}

extension MessageReader {
    mutating func saveRequest() throws(MessageDamage) -> SaveRequest {
        var request = SaveRequest(
            inserted: try batch(),
            updated: try list { reader throws(MessageDamage) in try reader.update() },
            deleted: try list { reader throws(MessageDamage) in
                RowDeletion(id: try reader.id(), previousVersion: try reader.integer(Int64.self))
            },
            pairs: try list { reader throws(MessageDamage) in try reader.pair() },
            metadata: try values(),
            author: try optional { reader throws(MessageDamage) in try reader.text() },
            contextName: try optional { reader throws(MessageDamage) in try reader.text() })
        request.id = try optional { reader throws(MessageDamage) in try reader.saveID() }
        return request
    }

    private mutating func update() throws(MessageDamage) -> RowUpdate {
        let row = try row()
        let version = try integer(Int64.self)
        var slots = SlotSet()
        for slot in try list({ reader throws(MessageDamage) in try reader.integer(UInt16.self) }) {
            slots.insert(Int(slot))
        }
        return RowUpdate(row: row, previousVersion: version, changedSlots: slots)
    }

    private mutating func pair() throws(MessageDamage) -> PairChange {
        let number = try integer(UInt8.self)
        guard let kind = PairChange.Kind(tag: number) else {
            throw MessageDamage("\(number) is no change of a pair")
        }
        return PairChange(
            kind, try persistentToMany(), owner: try id(), member: try id(),
            orderKey: try orderKey(), inverseOrderKey: try orderKey())
    }

    private mutating func orderKey() throws(MessageDamage) -> Int64? {
        try optional { reader throws(MessageDamage) in try reader.integer(Int64.self) }
    }
}

extension PairChange.Kind {
    fileprivate var tag: UInt8 {
        switch self {
        case .insert: 1
        case .delete: 2
        case .reorder: 3
        }
    }

    fileprivate init?(tag: UInt8) {
        switch tag {
        case 1: self = .insert
        case 2: self = .delete
        case 3: self = .reorder
        default: return nil
        }
    }
}
