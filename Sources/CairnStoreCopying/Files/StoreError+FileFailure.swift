import CairnFiles
import CairnStore
import Foundation

// The steps of this module that work on files. Their callers deal with stores, so a failed file operation is
// thrown as `StoreError.fileFailure`. No other file of the module makes store errors of file failures.

extension StoreFileSet {
    /// Moves the store to a location at which there is no store, durably. Nothing of it is left here.
    ///
    /// - Throws: `.fileFailure`, with `EEXIST` if a store exists there by now.
    func moveAway(toFree target: StoreFileSet) throws(StoreError) {
        do throws(FileFailure) {
            try move(toFree: target)
            try removeCompanions()
            try PosixFile.syncFolder(folder)
        } catch {
            throw .fileFailure(error)
        }
    }

    /// Moves the store from a hidden folder to its final location, durably.
    ///
    /// - Parameters:
    ///   - replaced: the store there. `nil` if no store may be there.
    ///   - aside: where to move the replaced store if a rename cannot replace it.
    /// - Throws: `.fileFailure`. The code is `EEXIST` if a store is there that may not be replaced.
    func publish(
        at target: StoreFileSet, replacing replaced: StoreFileSet?, puttingAside aside: URL
    ) throws(StoreError) {
        do throws(FileFailure) {
            guard let replaced else { return try move(toFree: target) }
            // A log that could not be written to its main file belongs to a damaged store. It must not be
            // taken for a log of the new store.
            for file in replaced.data where file.isThere && !file.isFolder {
                try FileTree(file).remove()
            }
            try move(to: target, puttingAside: aside)
            replaced.removeData(notIn: self, at: target)
        } catch {
            throw .fileFailure(error)
        }
    }

    /// Copies the main file and the data files, durably.
    func copy(to target: StoreFileSet) throws(StoreError) {
        do throws(FileFailure) {
            for (from, to) in zip([main] + data, [target.main] + target.data) where from.isThere {
                try FileTree(from).copy(to: to)
            }
        } catch {
            throw .fileFailure(error)
        }
    }

    /// Copies the main file, without making it durable, and links the data files.
    func duplicate(to target: StoreFileSet) throws(StoreError) {
        do throws(FileFailure) {
            try FileTree(main).copy(to: target.main, synchronizes: false)
            _ = try linkData(to: target)
        } catch {
            throw .fileFailure(error)
        }
    }

    /// Links the data files of this store to the paths of another store's data files.
    func shareData(with other: StoreFileSet) throws(StoreError) {
        do throws(FileFailure) {
            _ = try linkData(to: other)
        } catch {
            throw .fileFailure(error)
        }
    }

    /// Removes the store: the main file first, then every other file.
    func remove() throws(StoreError) {
        do throws(FileFailure) {
            try FileTree(main).remove()
            try removeCompanions()
            try PosixFile.syncFolder(folder)
        } catch {
            throw .fileFailure(error)
        }
    }
}

extension ClosedStore {
    /// Returns the kind of the main file.
    func fileKind() throws(StoreError) -> FileKind {
        do throws(FileFailure) {
            return try FileKind(ofFileAt: url.path)
        } catch {
            throw .fileFailure(error)
        }
    }
}

extension StorePlacement {
    /// Makes a hidden folder.
    ///
    /// - Parameter prefix: the path up to a unique part.
    static func makeWorkFolder(prefix: String) throws(StoreError) -> WorkFolder {
        do throws(FileFailure) {
            return try WorkFolder.make(prefix: prefix)
        } catch {
            throw .fileFailure(error)
        }
    }
}

extension StoreMigration {
    /// Returns how many bytes are free beside the store.
    func availableByteCount() throws(StoreError) -> Int64 {
        do throws(FileFailure) {
            return try FreeSpace.available(inFolder: url.deletingLastPathComponent().path)
        } catch {
            throw .fileFailure(error)
        }
    }
}
