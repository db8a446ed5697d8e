import CairnGraph
import CairnStore
import CairnStoreCopying
import Foundation

extension PersistentStoreCoordinator {
    /// Removes a store from the disk, with every file that belongs to it: log, lock, external values,
    /// left-over temporary files.
    ///
    /// The main file goes first: once it is gone there is no store, whatever happens then.
    ///
    /// - Throws: `.storeAlreadyAdded` while it is in this coordinator; `.store`: `.unknownType`,
    ///   `.notFound`, `.notAStore` (the file is not of that type and not empty), `.locked` (open in
    ///   another coordinator or process): nothing was removed; `.fileFailure`.
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

    /// Removes a store from the disk, by the name of its engine; see ``destroyPersistentStore(at:ofType:)``.
    ///
    /// - Parameter options: takes `nil` only, because no option has a meaning for a store that is removed.
    /// - Throws: as there.
    @_disfavoredOverload
    public func destroyPersistentStore(
        at url: URL, ofType type: String, options: Never? = nil
    ) throws(GraphError) {
        try destroyPersistentStore(at: url, ofType: StoreType(type))
    }
}
