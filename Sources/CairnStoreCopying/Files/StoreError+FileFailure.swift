import CairnFiles
import CairnStore
import Foundation

// The steps of this module that work on files. Their callers handle store errors, so a failed file
// operation is thrown as `StoreError.fileFailure`. Only this file of the module converts file
// failures to store errors.

extension StoreFileSet {
    /// Moves the store durably to a location without a store. Nothing of it is left at the old
    /// location.
    ///
    /// - Throws: `.fileFailure`. The code is `EEXIST` if a store exists at the new location by now.
    func moveAway(toFree target: StoreFileSet) throws(StoreError) {
        let old = try readingNames()
        let companions = old.companions(except: target.destinations)
        do {
            try old.move(toFree: target)
            try Self.removeCompanions(companions)
            try PosixFile.syncFolder(folder)
        } catch {
            throw .fileFailure(error)
        }
    }

    /// Moves the store durably from a hidden folder to its final location.
    ///
    /// - Parameters:
    ///   - replaced: the store at the final location, or `nil` if no store may be there.
    ///   - aside: where to move the replaced store if a rename cannot replace it.
    /// - Throws: `.fileFailure`. The code is `EEXIST` if a store is there that may not be replaced.
    func publish(
        at target: StoreFileSet, replacing replaced: StoreFileSet?, puttingAside aside: URL
    ) throws(StoreError) {
        // Files of a damaged store that cannot be told from those of another store are kept.
        let replaced = replaced.map { (try? $0.readingNames()) ?? $0 }
        do {
            guard let replaced else { return try move(toFree: target) }
            // A log that could not be written to its main file belongs to a damaged store. It must
            // not be mistaken for a log of the new store.
            for file in replaced.data where file.isThere && !file.isFolder {
                try FileTree(file).remove()
            }
            try move(to: target, puttingAside: aside)
            replaced.removeData(notIn: self, at: target)
        } catch {
            throw .fileFailure(error)
        }
    }

    /// Copies the main file and the data files durably.
    func copy(to target: StoreFileSet) throws(StoreError) {
        let source = try readingNames()
        do {
            try source.copyAll(to: target)
        } catch {
            throw .fileFailure(error)
        }
    }

    /// Copies the main file without making it durable, and links the data files.
    func duplicate(to target: StoreFileSet) throws(StoreError) {
        let source = try readingNames()
        do {
            try FileTree(main).copy(to: target.main, synchronizes: false)
            _ = try source.linkData(to: target)
        } catch {
            throw .fileFailure(error)
        }
    }

    /// Links the data files of this store to the paths of another store's data files.
    func shareData(with other: StoreFileSet) throws(StoreError) {
        do {
            _ = try linkData(to: other)
        } catch {
            throw .fileFailure(error)
        }
    }

    /// Gives the store the permissions of another store's file, and its owner and group as far as this
    /// process may set them. Files that have other names, because they are also those of the other
    /// store, are not changed.
    func takeModeAndOwner(of other: URL) throws(StoreError) {
        do {
            for url in [main] + data where url.isThere {
                try FileTree(url).takeModeAndOwner(of: other)
            }
        } catch {
            throw .fileFailure(error)
        }
    }

    /// Removes the main file first, and then every other file of the store.
    func remove() throws(StoreError) {
        // Files of a damaged store that cannot be told from those of another store are kept.
        let companions = ((try? readingNames()) ?? self).companions()
        do {
            try FileTree(main).remove()
            try Self.removeCompanions(companions)
            try PosixFile.syncFolder(folder)
        } catch {
            throw .fileFailure(error)
        }
    }
}

extension ClosedStore {
    /// Returns the kind of the main file.
    func fileKind() throws(StoreError) -> FileKind {
        do {
            return try FileKind(ofFileAt: url.path)
        } catch {
            throw .fileFailure(error)
        }
    }
}

extension StorePlacement {
    /// Creates a hidden folder.
    ///
    /// - Parameter prefix: the beginning of the path. A unique part is appended to it.
    static func makeWorkFolder(prefix: String) throws(StoreError) -> WorkFolder {
        do {
            return try WorkFolder.make(prefix: prefix)
        } catch {
            throw .fileFailure(error)
        }
    }
}

extension ClosedStore {
    /// Returns the number of free bytes on the file system of the store.
    func availableByteCount() throws(StoreError) -> Int64 {
        do {
            return try FreeSpace.available(inFolder: url.deletingLastPathComponent().path)
        } catch {
            throw .fileFailure(error)
        }
    }
}
