import CairnModel
import CairnStore

/// A store that its engine has opened, with its metadata.
struct OpenedStore {
    let store: any PersistentStore
    let metadata: StoreMetadata

    /// Reads the store's metadata.
    ///
    /// - Throws: The errors of the store. The store is closed in that case.
    init(_ store: any PersistentStore) throws(StoreError) {
        self.store = store
        do throws(StoreError) {
            metadata = try store.metadata()
        } catch {
            // The first error is the one to report.
            try? store.close()
            throw error
        }
    }

    /// Returns those of the configuration's entities that the store has not recorded and whose objects
    /// it does not accept. A store whose file is written as a whole accepts them, and records them with
    /// its next save.
    func lacked(of entities: [Entity]) -> [Entity] {
        let recorded = metadata.entityVersionHashes
        guard store is any FileStore, !type(of: store).capabilities.rewritesWholeFile,
            !recorded.isEmpty
        else { return [] }
        return entities.filter { recorded[$0.name] == nil }
    }
}
