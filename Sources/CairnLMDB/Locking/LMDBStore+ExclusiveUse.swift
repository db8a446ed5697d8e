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
