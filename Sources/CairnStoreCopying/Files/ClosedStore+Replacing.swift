import CairnStore
import Foundation

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
        do throws(StoreError) {
            _ = try engine.metadata(at: source.location)
            if url.isThere { try requireStore() } else { try location.requireFolder() }
        } catch {
            throw .store(error)
        }
        let placement = try StorePlacement(of: location, engine, replacing: engine)
        defer { placement.discard() }
        do throws(StoreError) {
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
