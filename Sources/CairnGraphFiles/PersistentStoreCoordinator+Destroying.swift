import CairnStack
import CairnStore
import CairnStoreCopying
import Foundation

extension PersistentStoreCoordinator {
    /// Removes a store from the disk, with all files that belong to it: log, lock, external values, and
    /// leftover temporary files.
    ///
    /// The main file is removed first. Once it is removed, the store no longer exists, even if the
    /// removal is interrupted.
    ///
    /// - Throws: `.storeAlreadyAdded` if the store is in this coordinator; `.store` with `.unknownType`,
    ///   `.notFound`, `.notAStore` (the file is not of that type and not empty) or `.locked` (the store
    ///   is open in another coordinator or process), and nothing was removed; `.fileFailure`.
    public func destroyPersistentStore(
        at url: URL, ofType type: StoreType
    ) throws(GraphError) {
        try requireNotAdded(url)
        do throws(StoreError) {
            if !(try registry.engine(ofType: type)).capabilities.isDurable { return }
            let engine = try registry.fileEngine(ofType: type, for: .file(url))
            try registry.namingForeignFiles { () throws(StoreError) in
                try ClosedStore(engine, ofType: type, at: url).remove()
            }
        } catch {
            throw GraphError(ofStore: error)
        }
    }
}
