import CairnGraph
import CairnStore
import CairnStoreCopying
import Foundation

extension PersistentStoreCoordinator {
    /// Renames a store, or moves it to another folder of the same file system, with every file that
    /// belongs to it. Core Data has no such call.
    ///
    /// Nobody may have the store open. A log is brought over first; then large values get a second
    /// name at the new place, one rename moves the main file, and what is left at the old place is
    /// removed. A crash before the rename leaves the store where it was, one after it leaves it at
    /// the new place; either may leave files beside it that nothing needs.
    ///
    /// - Parameters:
    ///   - destination: where no store may be; its folder must be there.
    ///   - type: the engine of the store.
    /// - Throws: `.storeAlreadyAdded` while the store is in this coordinator; `.destinationExists`;
    ///   `.keepsNoFiles`; `.store`: `.locked` where it is open in another
    ///   coordinator or process, `.notFound`, `.notAStore`, `.folderMissing`, `.corrupt`,
    ///   `.unsupported` for another file system, `.fileFailure`. The store is where it was, unless
    ///   the failure is one to make the rename durable.
    public func movePersistentStore(
        at source: URL, to destination: URL, ofType type: StoreType
    ) throws(GraphError) {
        try requireNotAdded(source)
        let store = ClosedStore(try fileEngine(ofType: type), ofType: type, at: source)
        try translating { () throws(StoreCopyError) in
            try store.move(to: destination)
        }
    }
}
