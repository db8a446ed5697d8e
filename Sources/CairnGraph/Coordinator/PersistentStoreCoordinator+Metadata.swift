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
        return try GraphError.translating { () throws(StoreError) in
            try attached.store.metadata()
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
        try save.begin()
        while !attached.unfinishedSaves.isEmpty {
            save.rollback()
            try GraphError.translating { () throws(StoreError) in
                try attached.unfinishedSaves.finish()
            }
            try save.begin()
        }
        save.request.metadata = values
        defer { save.rollback() }
        if let refusal = save.prepare() { throw .store(refusal) }
        try GraphError.translating { () throws(StoreError) in _ = try save.commit() }
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
        try GraphError.translating { () throws(StoreError) in
            let engine = try registry.fileEngine(ofType: type, for: .file(url))
            return try registry.namingForeignFiles { () throws(StoreError) in
                try engine.metadata(at: .file(url))
            }
        }
    }
}
