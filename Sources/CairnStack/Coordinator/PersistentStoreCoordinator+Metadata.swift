import CairnModel
import CairnStore
import Foundation

extension PersistentStoreCoordinator {
    /// Returns the current metadata of a store.
    ///
    /// - Throws: `.unknownStore`; `.store`.
    public func metadata(
        for store: any PersistentStore
    ) throws(GraphError) -> StoreMetadata {
        let attached = try attached(store)
        do {
            var metadata = CommonSaves.removed(from: try attached.store.metadata())
            metadata.values[HistoryFollowers.metadataName] = nil
            return metadata
        } catch {
            throw GraphError(ofStore: error)
        }
    }

    /// Sets values in a store's metadata, immediately and durably. Other values do not change.
    ///
    /// - Throws: `.unknownStore`; `.store`, such as `.readOnly` or `.busy`.
    public func setMetadata(
        _ values: [String: MetadataValue], for store: any PersistentStore
    ) throws(GraphError) {
        try saveMetadata(of: try attached(store)) { _ in values }
    }

    /// Saves values of a store's metadata that depend on the present ones.
    ///
    /// - Throws: `.store`.
    func saveMetadata(
        of attached: AttachedStore, _ values: (StoreMetadata) -> [String: MetadataValue]
    ) throws(GraphError) {
        let save = StoreSave(attached)
        defer { save.rollback() }
        do {
            try save.begin()
            while !attached.unfinishedSaves.isEmpty {
                save.rollback()
                try attached.unfinishedSaves.finish()
                try save.begin()
            }
            save.request.metadata = values(try attached.store.metadata())
            try save.transaction?.prepare(save.request)
            try save.commit()
        } catch {
            throw GraphError(ofSave: error)
        }
    }

    /// Reads a store's metadata without opening the store.
    ///
    /// - Parameters:
    ///   - type: The engine of the store.
    ///   - url: The store's file, or its address if its engine copies stores of a service.
    ///   - registry: The engines to choose from.
    /// - Throws: `.store` with one of these errors: `.unknownType`, `.notFound`, `.notAStore`,
    ///   `.unsupported` (also for an engine whose stores are not files), `.busy`, `.corrupt`,
    ///   `.fileFailure`, `.engineFailure`.
    public static func metadataForPersistentStore(
        ofType type: StoreType, at url: URL, registry: StoreRegistry
    ) throws(GraphError) -> StoreMetadata {
        do {
            let known = try registry.engine(ofType: type)
            if let engine = known as? any ServiceStore.Type {
                return CommonSaves.removed(
                    from: try engine.metadata(at: StoreLocation(url, of: engine)))
            }
            let engine = try registry.fileEngine(ofType: type, for: .file(url))
            return try registry.namingForeignFiles { () throws(StoreError) in
                CommonSaves.removed(from: try engine.metadata(at: .file(url)))
            }
        } catch {
            throw GraphError(ofStore: error)
        }
    }
}
