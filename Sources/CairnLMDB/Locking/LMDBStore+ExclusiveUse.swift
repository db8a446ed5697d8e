import CairnCLMDB
import CairnFiles
import CairnStore
import Foundation

extension LMDBStore {
    /// Detects every process that has the store open: one of LMDB's own locks excludes them.
    ///
    /// - Throws: The errors of ``CairnStore/FileStore/withExclusiveUse(of:_:)``.
    package static func withExclusiveUse<Result>(
        of location: StoreLocation, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        guard let url = location.fileURL else { return try body() }
        return try LMDBRegistry.shared.reserving(url) { () throws(StoreError) in
            let descriptor = try lock(url)
            defer { if descriptor >= 0 { Foundation.close(descriptor) } }
            LMDBCreation.removeLeftovers(of: RealPath.of(url.path))
            return try body()
        }
    }

    /// Locks the first byte of the lock file, on which every process that has the store open holds
    /// a shared lock (mdb.c, `mdb_env_excl_lock`).
    ///
    /// - Returns: The descriptor that holds the lock, or -1 if the lock file cannot be created. In
    ///   that case, no process can write.
    private static func lock(_ url: URL) throws(StoreError) -> Int32 {
        let main = url.followingLinks.path
        let path = ReaderTableFile(ofFileAt: main).path
        let descriptor: Int32
        do {
            (descriptor, _) = try PosixFile.openOrCreateCompanion(path, of: main)
        } catch {
            if error.meansReadOnly { return -1 }
            throw .fileFailure(error)
        }
        var range = flock()
        range.l_type = Int16(F_WRLCK)
        range.l_whence = Int16(SEEK_SET)
        range.l_len = 1
        guard fcntl(descriptor, F_SETLK, &range) == 0 else {
            let code = errno
            Foundation.close(descriptor)
            if code == EAGAIN || code == EACCES {
                throw .locked(.file(url), holder: "another process")
            }
            throw .fileFailure(FileFailure(operation: "fcntl", path: path, code: code))
        }
        return descriptor
    }
}

extension LMDBStore: CompactingStore {
    /// Lets LMDB write all pages that are in use, one after the other.
    ///
    /// - Throws: The errors of ``CairnStore/CompactingStore/writeCompactCopy(at:of:)``.
    package static func writeCompactCopy(
        at copy: StoreLocation, of location: StoreLocation
    ) throws(StoreError) {
        guard let target = copy.fileURL else { return }
        let path = try LMDBOpening.fileURL(of: location).followingLinks.path
        let check = try FileCheck(path: path, location: location)
        _ = try check.checkPages()
        var settings = LMDBOptions().environment
        settings.mapByteCount = max(settings.mapByteCount, check.byteCount)
        // LMDB would release the caller's lock if it opened the lock file.
        let handle = try LMDBHandle(
            opening: path, location, settings, isReadOnly: true, usesLockFile: false)
        defer { handle.close() }
        let code = mdb_env_copy2(handle.pointer, target.path, UInt32(MDB_CP_COMPACT))
        guard code != MDB_SUCCESS else { return }
        throw code == ENOSPC || code == EDQUOT
            ? .diskFull(at: location)
            : LMDBFailure(code: code, operation: "copy").storeError(at: location)
    }
}
