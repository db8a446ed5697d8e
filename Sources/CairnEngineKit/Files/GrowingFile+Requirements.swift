import CairnFiles
import CairnStore

extension GrowingFile {
    /// Checks that the store's path still leads to the file that was opened.
    ///
    /// An engine that changes its file in place calls this twice in each save: after it has taken
    /// the store's write lock, and again after the commit is durable but before it is acknowledged.
    ///
    /// - Throws: `.fileRemoved`, `.fileReplaced`, `.fileFailure`.
    public func requireName(of location: StoreLocation) throws(StoreError) {
        try opened.requireName(of: location)
    }
}
