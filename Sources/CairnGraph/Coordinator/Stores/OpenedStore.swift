import CairnModel
import CairnStore

/// A store that its engine has opened, with what was read of it on the way.
struct OpenedStore {
    let store: any PersistentStore
    let metadata: StoreMetadata

    /// Reads the store's metadata.
    ///
    /// - Throws: what the store throws; the store is closed then.
    init(_ store: any PersistentStore) throws(StoreError) {
        self.store = store
        do throws(StoreError) {
            metadata = try store.metadata()
        } catch {
            // What went wrong first is the reason.
            try? store.close()
            throw error
        }
    }

    /// Returns those of the configuration's entities that the store has not recorded, and takes no objects
    /// of. One that is written as a whole takes them with its next save.
    func lacked(of entities: [Entity]) -> [Entity] {
        let recorded = metadata.entityVersionHashes
        guard store is any FileStore, !type(of: store).capabilities.rewritesWholeFile,
            !recorded.isEmpty
        else { return [] }
        return entities.filter { recorded[$0.name] == nil }
    }
}
