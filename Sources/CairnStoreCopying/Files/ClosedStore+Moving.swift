import CairnFiles
import CairnStore
import Foundation

extension ClosedStore {
    /// Renames the store, or moves it to another folder of the same file system.
    ///
    /// A log is brought over first; then large values get a second name at the new place, one rename
    /// moves the main file, and what is left at the old place is removed. A crash before the rename
    /// leaves the store where it was, one after it leaves it at the new place; either may leave files
    /// beside it that nothing needs.
    ///
    /// - Parameter destination: where no store may be; its folder must be there.
    /// - Throws: `.destinationExists`; `.store`: `.locked`, `.notFound`, `.notAStore`,
    ///   `.folderMissing`, `.corrupt`, `.unsupported` for another file system, `.fileFailure`. The
    ///   store is where it was, unless the failure is one to make the rename durable.
    package func move(to destination: URL) throws(StoreCopyError) {
        let target = ClosedStore(engine, ofType: type, at: destination)
        let (old, new) = (files, target.files)
        for file in [new.main] + new.data where file.isThere {
            throw .destinationExists(.file(file))
        }
        try StoreCopyError.translating { () throws(StoreError) in
            try target.location.requireFolder()
            try target.location.requireFreeName()
            try requireFileSystem(of: target)
            // A store that cannot be read may hold more in its log than in its main file.
            _ = try engine.metadata(at: location)
            try engine.withSettledUse(of: location) { () throws(StoreError) in
                try StoreError.translating { () throws(FileFailure) in
                    try old.move(toFree: new)
                    try old.removeCompanions()
                    try PosixFile.syncFolder(old.folder)
                }
            }
        }
    }

    private func requireFileSystem(of target: ClosedStore) throws(StoreError) {
        var (from, to) = (stat(), stat())
        guard stat(url.deletingLastPathComponent().path, &from) == 0,
            stat(target.url.deletingLastPathComponent().path, &to) == 0,
            from.st_dev != to.st_dev
        else { return }
        throw .unsupported(
            location, feature: "a new place on another file system",
            advice: "Copy it there with replacePersistentStore, then destroy it here.")
    }
}
