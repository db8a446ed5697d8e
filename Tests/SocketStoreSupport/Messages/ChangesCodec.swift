import CairnModel
import CairnStore

extension MessageWriter {
    /// Writes the objects that differ between two states.
    mutating func changes(_ changes: StoreChanges) {
        for ids in [changes.inserted, changes.updated, changes.deleted] { list(ids) { $0.id($1) } }
    }
}

extension MessageReader {
    mutating func changes() throws(MessageDamage) -> StoreChanges {
        StoreChanges(inserted: try ids(), updated: try ids(), deleted: try ids())
    }
}
