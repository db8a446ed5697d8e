import Foundation

/// An engine that keeps large values in files of their own, in a folder that other stores beside the
/// store may use, too.
///
/// Code that moves, copies or removes the files of a closed store asks this protocol which of them
/// belong to the store.
package protocol ExternalDataStore: FileStore {
    /// Returns the companion folder that another store beside this one uses, too, and the companion
    /// folder that the files of a store at this location belong to instead. Returns `nil` if no
    /// other store uses the folder.
    ///
    /// - Parameter leaving: a store that does not count, because it is being moved away.
    static func sharedFolder(
        of location: StoreLocation, except leaving: URL?
    ) -> (shared: URL, own: URL)?

    /// Reads the names of the files that the store's rows name, and of those that no store beside
    /// it names.
    ///
    /// - Precondition: no one has the store open. The body of ``FileStore/withExclusiveUse(of:_:)``
    ///   may call this method.
    /// - Throws: `.corrupt`, `.busy`, `.fileFailure`, `.engineFailure`.
    static func externalNames(
        at location: StoreLocation
    ) throws(StoreError) -> (all: Set<String>, removable: Set<String>)

    /// Returns the files of large values that no row of this store or of a store beside it names.
    ///
    /// A crash can leave such files. They do no harm, and are removed with the store unless another
    /// store uses the folder, too.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.busy`, `.fileFailure`, `.engineFailure`.
    func unnamedFiles() throws(StoreError) -> [URL]
}
