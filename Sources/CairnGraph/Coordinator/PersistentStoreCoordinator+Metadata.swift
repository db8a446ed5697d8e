import CairnModel
import CairnStore
import Foundation

extension PersistentStoreCoordinator {
    /// Returns what a store says of itself now.
    ///
    /// - Throws: `.unknownStore`; `.store`.
    public func metadata(
        for store: any PersistentStore
    ) throws(GraphError) -> StoreMetadata {
        let attached = try attached(store)
        do throws(StoreError) {
            return try attached.store.metadata()
        } catch {
            throw GraphError(ofStore: error)
        }
    }

    /// Sets values in a store's metadata, at once and durably. Values not named stay.
    ///
    /// - Throws: `.unknownStore`; `.store`, such as `.readOnly` or `.busy`.
    public func setMetadata(
        _ values: [String: MetadataValue], for store: any PersistentStore
    ) throws(GraphError) {
        let attached = try attached(store)
        let save = StoreSave(attached)
        defer { save.rollback() }
        do throws(StoreError) {
            try save.begin()
            while !attached.unfinishedSaves.isEmpty {
                save.rollback()
                try attached.unfinishedSaves.finish()
                try save.begin()
            }
            save.request.metadata = values
            try save.transaction?.prepare(save.request)
            try save.commit()
        } catch {
            throw GraphError(ofSave: error)
        }
    }

    /// Reads a store's metadata without opening it.
    ///
    /// - Parameter registry: the engines to choose from.
    /// - Throws: `.store`: `.unknownType`, `.notFound`, `.notAStore`, `.unsupported`, also for an
    ///   engine without files, `.busy`,
    ///   `.corrupt`, `.fileFailure`, `.engineFailure`.
    public static func metadataForPersistentStore(
        ofType type: StoreType, at url: URL, registry: StoreRegistry
    ) throws(GraphError) -> StoreMetadata {
        do throws(StoreError) {
            let engine = try registry.fileEngine(ofType: type, for: .file(url))
            return try registry.namingForeignFiles { () throws(StoreError) in
                try engine.metadata(at: .file(url))
            }
        } catch {
            throw GraphError(ofStore: error)
        }
    }
}
