import CairnModel
import Foundation

/// An engine whose durable stores belong to a service, and whose stores can be copied, migrated and removed.
///
/// A store is made at a temporary location, and takes its own location when it is complete. Stores in files are moved in
/// the same way by means of ``FileStore``.
package protocol ServiceStore: PersistentStore {
    /// Reads a store's metadata without opening the store.
    ///
    /// - Throws: `.notFound`, `.notAStore`, `.corrupt`, `.engineFailure`; `.unsupported` if the store has a later format.
    static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata

    /// Reads the model that the store was written with. Returns `nil` if the model cannot be read.
    ///
    /// - Throws: the errors of ``metadata(at:)``.
    static func model(at location: StoreLocation) throws(StoreError) -> ModelDescription?

    /// Begins to make a store for a location, and removes what placements of ended processes left. Waits while another
    /// process has a placement for the location. The wait ends if the running task is cancelled.
    ///
    /// - Parameter replacing: whether a store at the location may be replaced or removed. Others can then read it, but
    ///   not save to it, until the placement ends.
    /// - Throws: `.cancelled`, `.engineFailure`; `.unsupported`, also if the store to be replaced contains something of
    ///   other programs, which would be lost.
    static func placement(
        at location: StoreLocation, replacing: Bool
    ) throws(StoreError) -> any ServicePlacement
}

/// The temporary locations of a service at which stores are made for one location. Only one thread uses a placement.
package protocol ServicePlacement: AnyObject {
    /// The location with which the store that will be replaced is opened during the placement. Opening the store changes
    /// nothing in it. Equal to the location of the placement.
    var replacedLocation: StoreLocation { get }

    /// Returns a new temporary location. The store that is made there must not be taken for a finished one.
    ///
    /// - Throws: `.engineFailure`.
    func makeLocation() throws(StoreError) -> StoreLocation

    /// Gives the location to a closed store, in one step, and ends the placement. The names of saves that the replaced
    /// store remembers are kept. Handles of the replaced store throw `.fileReplaced` from then on.
    ///
    /// - Parameter made: the temporary location of the store. If `nil`, the store at the location is only removed.
    /// - Returns: `false`, after which nothing has changed, if something is at the location and may not be replaced, or
    ///   if there is nothing to remove.
    /// - Throws: `.notAStore`, `.unsupported`, `.locked` while others read the store to be replaced, `.engineFailure`,
    ///   `.commitOutcomeUnknown`.
    func finish(with made: StoreLocation?) throws(StoreError) -> Bool

    /// Removes all stores at temporary locations. Called last, also after ``finish(with:)``.
    func discard()
}

extension StoreLocation {
    /// The location of a durable store with a URL: an address if the engine's stores belong to a service, otherwise a
    /// file.
    package init(_ url: URL, of engine: any PersistentStore.Type) {
        if engine is any ServiceStore.Type, let service = ServiceLocation(url) {
            self = .service(service)
        } else {
            self = .file(url)
        }
    }
}
