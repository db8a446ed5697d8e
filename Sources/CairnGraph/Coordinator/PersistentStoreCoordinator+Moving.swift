import CairnFiles
import CairnStore
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
        let (source, destination) = (
            source.resolvedForComparison, destination.resolvedForComparison
        )
        try requireNotAdded(source)
        let engine = try fileEngine(ofType: type)
        let old = StoreFileSet(engine, at: source)
        let new = StoreFileSet(engine, at: destination)
        for file in [new.main] + new.data where file.isThere {
            throw .destinationExists(.file(file))
        }
        try GraphError.translating { () throws(StoreError) in
            try StoreLocation.file(destination).requireFolder()
            try StoreLocation.file(destination).requireFreeName()
            try Self.requireOneFileSystem(source, destination)
            // A store that cannot be read may hold more in its log than in its main file.
            _ = try registry.namingForeignFiles { () throws(StoreError) in
                try engine.metadata(at: .file(source))
            }
            try engine.withExclusiveUse(of: .file(source)) { () throws(StoreError) in
                try StoreError.translating { () throws(FileFailure) in
                    try old.move(toFree: new)
                    try old.removeCompanions()
                    try PosixFile.syncFolder(old.folder)
                }
            }
        }
    }

    /// - Throws: `.keepsNoFiles`, `.store(.unknownType)`.
    func fileEngine(ofType type: StoreType) throws(GraphError) -> any FileStore.Type {
        let engine = try GraphError.translating { () throws(StoreError) in
            try registry.engine(ofType: type)
        }
        guard let engine = engine as? any FileStore.Type else {
            throw .keepsNoFiles(type)
        }
        return engine
    }

    private static func requireOneFileSystem(
        _ source: URL, _ destination: URL
    ) throws(StoreError) {
        var (from, to) = (stat(), stat())
        guard stat(source.deletingLastPathComponent().path, &from) == 0,
            stat(destination.deletingLastPathComponent().path, &to) == 0,
            from.st_dev != to.st_dev
        else { return }
        throw .unsupported(
            .file(source), feature: "a new place on another file system",
            advice: "Copy it there with replacePersistentStore, then destroy it here.")
    }
}
