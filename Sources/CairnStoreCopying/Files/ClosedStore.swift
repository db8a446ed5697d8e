import CairnStore
import Foundation

/// The files of a store, to be moved, replaced or removed while no one has the store open.
package struct ClosedStore {
    let engine: any FileStore.Type
    /// The name under which the program registered the engine.
    let type: StoreType
    let url: URL

    /// Creates the value for a store. The file system is not accessed.
    package init(_ engine: any FileStore.Type, ofType type: StoreType, at url: URL) {
        self.engine = engine
        self.type = type
        self.url = url.resolvedForComparison
    }

    var location: StoreLocation { .file(url) }
    /// The store's files.
    var files: StoreFileSet { StoreFileSet(engine, at: url) }

    /// Removes the store with all files that belong to it.
    ///
    /// The main file is removed first. Without it there is no store, even if removing the other
    /// files fails.
    ///
    /// - Throws: `.notFound`, `.notAStore` or `.locked` if nothing was removed; `.fileFailure`.
    package func remove() throws(StoreError) {
        try requireStore()
        try engine.withExclusiveUseWithoutPendingSave(of: location, files.remove)
    }

    /// Checks that the main file is a store of the engine. A damaged store and an empty file are
    /// accepted, too.
    ///
    /// - Throws: `.notFound`, `.notAStore`, `.fileFailure`.
    func requireStore() throws(StoreError) {
        guard url.isThere else { throw .notFound(location) }
        if engine.recognizes(location) { return }
        let kind = try fileKind()
        if kind == .empty { return }
        do throws(StoreError) {
            _ = try engine.metadata(at: location)
        } catch .corrupt {
            return
        } catch {
            throw error
        }
        throw .notAStore(location, expected: type, found: "\(kind)")
    }
}
