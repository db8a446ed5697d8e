import CairnFiles
import CairnStore
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
        let url = url.resolvedForComparison
        try requireNotAdded(url)
        try GraphError.translating { () throws(StoreError) in
            if !(try registry.engine(ofType: type)).capabilities.isDurable { return }
            let engine = try registry.fileEngine(ofType: type, for: .file(url))
            try registry.namingForeignFiles { () throws(StoreError) in
                try Self.requireStore(at: url, of: engine, named: type)
            }
            try engine.withExclusiveUse(of: .file(url)) { () throws(StoreError) in
                try StoreError.translating { () throws(FileFailure) in
                    try FileTree(url).remove()
                    let files = StoreFileSet(engine, at: url)
                    try files.removeCompanions()
                    try PosixFile.syncFolder(files.folder)
                }
            }
        }
    }

    /// - Throws: `.storeAlreadyAdded` where the store at the URL is in this coordinator.
    func requireNotAdded(_ url: URL) throws(GraphError) {
        if persistentStore(for: url) != nil { throw .storeAlreadyAdded(.file(url)) }
    }

    /// Lets a store of the engine's pass, also a damaged one, and an empty file.
    ///
    /// - Throws: `.notFound`, `.notAStore`, `.fileFailure`.
    static func requireStore(
        at url: URL, of engine: any FileStore.Type, named type: StoreType
    ) throws(StoreError) {
        let location = StoreLocation.file(url)
        guard url.isThere else { throw .notFound(location) }
        if engine.recognizes(location) { return }
        let kind = try StoreError.translating { () throws(FileFailure) in
            try FileKind(ofFileAt: url.path)
        }
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

extension Error {
    /// The operating system's code under a Foundation error; EIO where there is none.
    var posixCode: Int32 {
        let underlying = (self as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        return (underlying?.code).flatMap(Int32.init(exactly:)) ?? EIO
    }
}
