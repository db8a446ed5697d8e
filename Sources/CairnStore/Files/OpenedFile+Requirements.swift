import CairnFiles

extension OpenedFile {
    /// Checks that the path still leads to the file that was opened.
    ///
    /// An engine that changes its file in place calls this twice in each save: after it has taken
    /// the store's write lock, and again after the commit is durable but before it is acknowledged.
    /// The cost is one call of `stat`.
    ///
    /// - Throws: `.fileRemoved`, `.fileReplaced`, `.fileFailure`.
    package func requireName(of location: StoreLocation) throws(StoreError) {
        _ = try linkCount(at: location)
    }

    /// Checks that the path still leads to the file that was opened, and that the file has no other
    /// name.
    ///
    /// An engine whose locks and logs are found by the store's name calls this when it opens a
    /// store for writing and when it begins a save, because users of two names of one file would
    /// not see each other's locks. The cost is one call of `stat`.
    ///
    /// - Throws: `.fileRemoved`, `.fileReplaced`, `.hardLinked`, `.fileFailure`.
    package func requireOnlyName(of location: StoreLocation) throws(StoreError) {
        let linkCount = try linkCount(at: location)
        guard linkCount <= 1 else { throw .hardLinked(location, linkCount: linkCount) }
    }

    private func linkCount(at location: StoreLocation) throws(StoreError) -> Int {
        let name: Name
        do throws(FileFailure) {
            name = try self.name()
        } catch {
            throw .fileFailure(error)
        }
        switch name {
        case .theFile(let linkCount): return linkCount
        case .anotherFile: throw .fileReplaced(location, path: path)
        case .nothing: throw .fileRemoved(location, path: path)
        }
    }
}
