import CairnModel
import CairnRows
import CairnStore
import Foundation

/// Translates the saver's numbers in a record to the numbers of this process.
struct RecordNumbers {
    let references: StoreReferences
    let numbers: [EntityNumber: [Int64: Int64]]

    /// Returns this process's number, or `nil` if the record does not say which reference the
    /// number stands for.
    func number(_ key: Int64, of root: EntityNumber) -> Int64? {
        references.table(of: root) == nil ? key : numbers[root]?[key]
    }

    /// Returns this process's ID, or `nil` if the record does not say which object is meant.
    func id(_ id: ObjectID) -> ObjectID? {
        number(id.key, of: id.rootEntity).map {
            ObjectID(store: id.store, rootEntity: id.rootEntity, entity: id.entity, key: $0)
        }
    }

    /// Returns the change with this process's IDs, or `nil` if the record does not say which
    /// objects are meant.
    func change(_ change: PairChange) -> PairChange? {
        guard let owner = id(change.owner), let member = id(change.member) else { return nil }
        var known = change
        (known.owner, known.member) = (owner, member)
        return known
    }

    /// Returns the bytes of a row with this process's numbers, or `nil` if the record does not say
    /// which objects are meant.
    func bytes(of row: Row, _ layout: RowLayout) -> Data? {
        guard let key = number(row.key, of: row.rootEntity) else { return nil }
        var bytes = row.withBytes { Data($0) }
        func set(_ key: Int64, at offset: Int) {
            bytes.withUnsafeMutableBytes {
                $0.storeBytes(of: key.littleEndian, toByteOffset: offset, as: Int64.self)
            }
        }
        set(key, at: 8)
        for slot in layout.slots where slot.kind == .toOne && !row.isNull(slot) {
            let id = row.objectID(slot)
            guard let key = number(id.key, of: id.rootEntity) else { return nil }
            set(key, at: Int(slot.offset))
        }
        return bytes
    }
}
