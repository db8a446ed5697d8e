import CairnFiles
import Foundation

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
    /// Every engine with files calls this when it opens a store for writing, when it begins a save
    /// and before it commits: locks and logs are found by the store's name, so users of two names
    /// would not see each other's, and a file that is replaced leaves its other names with the old
    /// content. The cost is one call of `stat`.
    ///
    /// - Throws: `.fileRemoved`, `.fileReplaced`, `.hardLinked`, `.fileFailure`.
    package func requireOnlyName(of location: StoreLocation) throws(StoreError) {
        let linkCount = try linkCount(at: location)
        guard linkCount <= 1 else { throw .hardLinked(location, linkCount: linkCount) }
    }

    /// Checks that the file at a path has only one name. See ``requireOnlyName(of:)``.
    ///
    /// - Throws: `.fileRemoved`, `.hardLinked`, `.fileFailure`.
    package static func requireOnlyName(
        at path: String, of location: StoreLocation
    ) throws(StoreError) {
        let file: OpenedFile
        do throws(FileFailure) {
            file = try OpenedFile(at: path)
        } catch {
            guard [ENOENT, ENOTDIR].contains(error.code) else { throw .fileFailure(error) }
            throw .fileRemoved(location, path: path)
        }
        try file.requireOnlyName(of: location)
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
