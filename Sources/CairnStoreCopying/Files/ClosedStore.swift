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
        try RestoreRecord.requireNone(beside: url)
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
        do {
            _ = try engine.metadata(at: location)
        } catch .corrupt {
            return
        } catch {
            throw error
        }
        throw .notAStore(location, expected: type, found: "\(kind)")
    }
}

extension ClosedStore {
    /// Renames the store, or moves it to another folder of the same file system.
    ///
    /// First, the contents of the log are written to the main file. Then large values get a second name
    /// at the new location, one rename moves the main file, and the files that remain at the old
    /// location are removed. A crash before the rename leaves the store at the old location, and a
    /// crash after it leaves the store at the new one. Either may leave additional files that are not
    /// needed.
    ///
    /// - Parameter destination: the new location. No store may exist there, and its folder must exist.
    /// - Throws: `.destinationExists`; `.store`: `.locked`, `.notFound`, `.notAStore`,
    ///   `.folderMissing`, `.corrupt`, `.unsupported` for another file system, `.fileFailure`. The
    ///   store has then not moved, unless the failure was to make the rename durable.
    package func move(to destination: URL) throws(StoreCopyError) {
        let target = ClosedStore(engine, ofType: type, at: destination)
        let (old, new) = (files, StoreFileSet(engine, at: target.url, except: url))
        // If only the extension changes, the folder of large values keeps its name.
        for file in [new.main] + new.destinations where file.isThere && !old.data.contains(file) {
            throw .destinationExists(.file(file))
        }
        do {
            try target.location.requireFolder()
            try target.location.requireFreeName()
            try requireFileSystem(of: target)
            for store in [self, target] { try RestoreRecord.requireNone(beside: store.url) }
            // If the store cannot be read, its log may contain more than its main file.
            _ = try engine.metadata(at: location)
            try engine.withExclusiveUseWithoutPendingSave(of: location) { () throws(StoreError) in
                try old.moveAway(toFree: new)
            }
        } catch {
            throw .store(error)
        }
    }

    private func requireFileSystem(of target: ClosedStore) throws(StoreError) {
        var (from, to) = (stat(), stat())
        guard stat(url.deletingLastPathComponent().path, &from) == 0,
            stat(target.url.deletingLastPathComponent().path, &to) == 0,
            from.st_dev != to.st_dev
        else { return }
        throw .unsupported(
            location, feature: "a new location on another file system",
            advice: "Copy it there with replacePersistentStore, then destroy it here.")
    }
}

extension ClosedStore {
    /// Replaces this store with a copy of another one, or creates the copy if there is no store here.
    /// The source is not changed.
    ///
    /// Files are copied unchanged. The copy is created and checked in a hidden folder next to this
    /// store, and then one rename puts it in place. A crash leaves either the old or the new store
    /// complete, and possibly the hidden folder. If a store is a folder itself, the old store may then
    /// be in the hidden folder.
    ///
    /// - Parameter source: another store of the same engine. It may be on a read-only medium.
    /// - Throws: `.destinationExists` if another process created a store here in the meantime;
    ///   `.store`: `.locked` if one of them is open, `.notFound`, `.notAStore`, `.folderMissing`,
    ///   `.corrupt` for a damaged source, `.unsupported`, `.fileFailure`. This store is then unchanged,
    ///   unless the failure was to make the rename durable.
    package func replace(withCopyOf source: ClosedStore) throws(StoreCopyError) {
        do {
            _ = try engine.metadata(at: source.location)
            if url.isThere { try requireStore() } else { try location.requireFolder() }
        } catch {
            throw .store(error)
        }
        let placement = try StorePlacement(of: location, engine, replacing: engine)
        defer { placement.discard() }
        do {
            try source.copyFiles(to: placement.temporary)
        } catch {
            throw .store(error)
        }
        try placement.putInPlace()
    }

    /// Copies the main file without making it durable, and links the files of large values.
    ///
    /// - Precondition: the caller has exclusive use of the store.
    /// - Throws: `.fileFailure`.
    func duplicateFiles(at location: StoreLocation) throws(StoreError) {
        guard let made = location.fileURL else { return }
        try files.duplicate(to: StoreFileSet(engine, at: made))
    }

    /// Copies a store that is not open. The copy consists only of its main file and data files.
    private func copyFiles(to temporary: StoreLocation) throws(StoreError) {
        guard let made = temporary.fileURL else { return }
        let (old, new) = (files, StoreFileSet(engine, at: made))
        try engine.withExclusiveUseWithoutPendingSave(of: location) { () throws(StoreError) in
            try old.copy(to: new)
        }
        // If the source's log could not be written to its main file, the log was copied, too. It is
        // written to the copy's main file now.
        try engine.withExclusiveUse(of: temporary) { () throws(StoreError) in }
        _ = try engine.metadata(at: temporary)
    }
}

extension ClosedStore {
    /// Replaces the store's file with a copy that has no free space. Everything else stays the same,
    /// including the store's identifier.
    ///
    /// The copy is created in a hidden folder next to the store, checked, and then put in place by one
    /// rename. A crash leaves either the old or the new file complete, and possibly the hidden folder.
    ///
    /// - Returns: the number of bytes of the main file before and after, or `nil` if the engine's files
    ///   have no free space.
    /// - Throws: `.store`: `.notFound`, `.notAStore`, `.locked` if the store is open, `.savePending`,
    ///   `.corrupt`, `.spaceMissing`, `.hardLinked`, `.fileFailure`. The store is then unchanged, unless the
    ///   failure was to make the rename durable.
    package func compact() throws(StoreCopyError) -> (before: Int64, after: Int64)? {
        do {
            _ = try engine.metadata(at: location)
        } catch {
            throw .store(error)
        }
        guard let engine = engine as? any CompactingStore.Type else { return nil }
        let placement = try StorePlacement(of: location, engine, replacing: engine)
        defer { placement.discard() }
        do {
            return try engine.withExclusiveUseWithoutPendingSave(of: location) {
                () throws(StoreError) in
                let before = try files.mainByteCount
                guard let copy = placement.temporary.fileURL else { return nil }
                try engine.writeCompactCopy(at: placement.temporary, of: location)
                let new = StoreFileSet(engine, at: copy)
                try files.shareData(with: new)
                _ = try engine.metadata(at: placement.temporary)
                let after = try new.mainByteCount
                try placement.replaceDuringExclusiveUse(with: placement.temporary)
                return (before, after)
            }
        } catch {
            throw .store(error)
        }
    }
}

extension FileStore {
    /// Runs a body while no one has the store open and no save over several stores is unfinished in
    /// it.
    ///
    /// Use this method to copy, move, replace, remove or migrate the files of a store, because the
    /// journal of an unfinished save would not match the store afterwards.
    ///
    /// - Throws: `.savePending` if the body was not run for that reason; the errors of
    ///   ``withExclusiveUse(of:_:)``.
    static func withExclusiveUseWithoutPendingSave<Result>(
        of location: StoreLocation, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try withExclusiveUse(of: location) { () throws(StoreError) in
            try location.requireNoPendingSave()
            return try body()
        }
    }
}
