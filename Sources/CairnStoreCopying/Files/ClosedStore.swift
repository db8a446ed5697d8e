import CairnStore
import Foundation

/// A store as the files that it consists of, to be moved, replaced or removed while nobody has it
/// open.
package struct ClosedStore {
    let engine: any FileStore.Type
    /// The name by which the program knows the engine.
    let type: StoreType
    let url: URL

    /// Names a store; touches nothing.
    package init(_ engine: any FileStore.Type, ofType type: StoreType, at url: URL) {
        self.engine = engine
        self.type = type
        self.url = url.resolvedForComparison
    }

    var location: StoreLocation { .file(url) }
    /// As the disk has them now.
    var files: StoreFileSet { StoreFileSet(engine, at: url) }

    /// Removes the store with every file that belongs to it.
    ///
    /// The main file goes first: once it is gone there is no store, whatever happens then.
    ///
    /// - Throws: `.notFound`, `.notAStore`, `.locked`: nothing was removed; `.fileFailure`.
    package func remove() throws(StoreError) {
        try requireStore()
        try engine.withSettledUse(of: location, files.remove)
    }

    /// Lets a store of the engine's pass, also a damaged one, and an empty file.
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
