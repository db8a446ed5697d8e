import CairnStack
import CairnStore
import CairnStoreCopying
import Foundation

extension PersistentStoreCoordinator {
    /// Checks that the store at a URL is not in this coordinator.
    ///
    /// - Throws: `.storeAlreadyAdded`.
    func requireNotAdded(_ url: URL) throws(GraphError) {
        guard let store = persistentStore(for: url) else { return }
        throw .storeAlreadyAdded(store.request.location.resolvedForComparison)
    }

    /// Returns the engine of a type whose stores are files.
    ///
    /// - Throws: `.storesAreNotFiles`, `.store(.unknownType)`.
    func fileEngine(ofType type: StoreType) throws(StoreCopyError) -> any FileStore.Type {
        let engine: any PersistentStore.Type
        do {
            engine = try registry.engine(ofType: type)
        } catch {
            throw .store(error)
        }
        guard let engine = engine as? any FileStore.Type else { throw .storesAreNotFiles(type) }
        return engine
    }

    /// Returns the `GraphError` for a store that could not be moved or replaced. If a file belongs to
    /// another engine, the error names that engine.
    func error(ofCopy error: StoreCopyError) -> GraphError {
        guard case .store(let error) = error else { return GraphError(ofCopy: error) }
        return GraphError(ofStore: registry.namingForeignFile(in: error))
    }
}

extension PersistentStoreCoordinator {
    /// Removes a store from the disk, with all files that belong to it: log, lock, external values, and
    /// leftover temporary files. A PostgreSQL store is removed with its schema.
    ///
    /// The main file is removed first. Once it is removed, the store no longer exists, even if the
    /// removal is interrupted.
    ///
    /// - Throws: `.storeAlreadyAdded` if the store is in this coordinator; `.store` with `.unknownType`,
    ///   `.notFound`, `.notAStore` (the file is not of that type and not empty) or `.locked` (the store
    ///   is open in another coordinator or process), and nothing was removed; `.fileFailure`.
    public func destroyPersistentStore(
        at url: URL, ofType type: StoreType
    ) throws(GraphError) {
        try requireNotAdded(url)
        do {
            let known = try registry.engine(ofType: type)
            if !known.capabilities.isDurable { return }
            if let engine = known as? any ServiceStore.Type {
                return try engine.remove(StoreLocation(url, of: engine))
            }
            let engine = try registry.fileEngine(ofType: type, for: .file(url))
            try registry.namingForeignFiles { () throws(StoreError) in
                try ClosedStore(engine, ofType: type, at: url).remove()
            }
        } catch {
            throw GraphError(ofStore: error)
        }
    }
}

extension PersistentStoreCoordinator {
    /// Renames a store, or moves it to another folder of the same file system, with all files that
    /// belong to it. Core Data has no equivalent method.
    ///
    /// The store must not be open. First, the contents of its log are written to the main file. Then
    /// large values get a second name at the new location, a single rename moves the main file, and the
    /// files that remain at the old location are removed. A crash before the rename leaves the store at
    /// the old location, and a crash after it leaves the store at the new one. Either may leave
    /// additional files that are not needed.
    ///
    /// - Parameters:
    ///   - source: The store's current location.
    ///   - destination: The new location. No store may exist there, and its folder must exist.
    ///   - type: The engine of the store.
    /// - Throws: `.storeAlreadyAdded` if the store is in this coordinator; `.destinationExists`;
    ///   `.storesAreNotFiles`; `.store` with `.locked` if the store is open in another coordinator or
    ///   process, `.notFound`, `.notAStore`, `.folderMissing`, `.corrupt`, `.unsupported` for another
    ///   file system, or `.fileFailure`. The store has then not moved, unless the rename succeeded and
    ///   could not be made durable.
    public func movePersistentStore(
        at source: URL, to destination: URL, ofType type: StoreType
    ) throws(GraphError) {
        try requireNotAdded(source)
        do {
            try ClosedStore(fileEngine(ofType: type), ofType: type, at: source)
                .move(to: destination)
        } catch {
            throw self.error(ofCopy: error)
        }
    }
}

extension PersistentStoreCoordinator {
    /// Replaces a store with a copy of another store, including its external values. If there is no
    /// store at the destination, creates the copy there. The source is not changed. Use this to restore
    /// a backup, or to install a store that comes with a program.
    ///
    /// Files are copied unchanged, so the copy has the source's identifier, and one coordinator cannot
    /// have both. The copy is created and checked in a hidden folder next to the destination, and a
    /// single rename then moves it to the destination. A crash leaves either the old or the new store
    /// complete, and possibly the hidden folder. If a store is itself a folder, the old store may then
    /// be in the hidden folder.
    ///
    /// - Parameters:
    ///   - destination: The store to replace or create. Its folder must exist.
    ///   - destinationOptions: The options of the destination. They are checked as in
    ///     `addPersistentStore`.
    ///   - source: The store to copy. It may be on a read-only medium.
    ///   - sourceOptions: The options of the source. They are checked as in `addPersistentStore`.
    ///   - type: The type of both stores.
    /// - Throws: `.storeAlreadyAdded` if one of the stores is in this coordinator; `.storesAreNotFiles`;
    ///   `.copyOntoItself` if both are the same store; `.store` with `.locked` if one of them is open in
    ///   another coordinator or process, `.notFound`, `.notAStore`, `.folderMissing`, `.corrupt` for a
    ///   damaged source, `.readOnly`, `.invalidOption`, or `.fileFailure`. The destination is then
    ///   unchanged, unless the rename succeeded and could not be made durable.
    public func replacePersistentStore(
        at destination: URL, destinationOptions: StoreOptions = [:],
        withPersistentStoreFrom source: URL, sourceOptions: StoreOptions = [:], type: StoreType
    ) throws(GraphError) {
        let (source, destination) = (
            source.resolvedForComparison, destination.resolvedForComparison
        )
        for url in [source, destination] { try requireNotAdded(url) }
        guard source != destination else {
            throw .copyOntoItself(.file(source))
        }
        do throws(StoreCopyError) {
            let engine = try fileEngine(ofType: type)
            try Self.check(sourceOptions, for: engine)
            if try Self.check(destinationOptions, for: engine).isReadOnly {
                throw .store(.readOnly(.file(destination)))
            }
            try ClosedStore(engine, ofType: type, at: destination)
                .replace(withCopyOf: ClosedStore(engine, ofType: type, at: source))
        } catch {
            throw self.error(ofCopy: error)
        }
    }

    @discardableResult
    private static func check(
        _ options: StoreOptions, for engine: any PersistentStore.Type
    ) throws(StoreCopyError) -> CoordinatorOptions {
        do {
            let known = engine.capabilities.options
            let options = try CoordinatorOptions(options)
            try options.engineOptions.requireKnown(known, by: "\(engine.type)")
            return options
        } catch {
            throw .store(error)
        }
    }
}
