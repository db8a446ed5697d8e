import CairnStore

/// A store that its engine has opened, with what was read of it on the way.
struct OpenedStore {
    let store: any PersistentStore
    let metadata: StoreMetadata

    /// Reads the store's metadata.
    ///
    /// - Throws: `.store`; the store is closed then.
    init(_ store: any PersistentStore) throws(GraphError) {
        self.store = store
        do throws(StoreError) {
            metadata = try store.metadata()
        } catch {
            // What went wrong first is the reason.
            try? store.close()
            throw .store(error)
        }
    }
}
