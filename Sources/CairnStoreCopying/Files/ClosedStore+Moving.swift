import CairnStore
import Foundation

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
        do throws(StoreError) {
            try target.location.requireFolder()
            try target.location.requireFreeName()
            try requireFileSystem(of: target)
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
