import CairnStack
import CairnStore
import CairnStoreCopying
import Foundation

extension PersistentStoreCoordinator {
    /// Renames a store, or moves it to another folder of the same file system, with all files that
    /// belong to it. Core Data has no equivalent method.
    ///
    /// The store must not be open. First, the contents of its log are written to the main file. Then
    /// large values get a second name at the new location, a single rename moves the main file, and the
    /// files that remain at the old location are removed. A crash before the rename leaves the store at
    /// the old location, and a crash after it leaves the store at the new one. Either may leave
    /// additional files that are not needed.
    ///
    /// - Parameters:
    ///   - source: The store's current location.
    ///   - destination: The new location. No store may exist there, and its folder must exist.
    ///   - type: The engine of the store.
    /// - Throws: `.storeAlreadyAdded` if the store is in this coordinator; `.destinationExists`;
    ///   `.storesAreNotFiles`; `.store` with `.locked` if the store is open in another coordinator or
    ///   process, `.notFound`, `.notAStore`, `.folderMissing`, `.corrupt`, `.unsupported` for another
    ///   file system, or `.fileFailure`. The store has then not moved, unless the rename succeeded and
    ///   could not be made durable.
    public func movePersistentStore(
        at source: URL, to destination: URL, ofType type: StoreType
    ) throws(GraphError) {
        try requireNotAdded(source)
        do throws(StoreCopyError) {
            try ClosedStore(fileEngine(ofType: type), ofType: type, at: source)
                .move(to: destination)
        } catch {
            throw self.error(ofCopy: error)
        }
    }
}
