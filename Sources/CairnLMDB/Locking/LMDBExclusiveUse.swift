import CairnFiles
import CairnStore
import Foundation

/// Exclusive access to a store's files, so that they can be moved, replaced or removed. No other
/// user has the store open.
struct LMDBExclusiveUse {
    let url: URL

    /// Runs the body while one of LMDB's own locks excludes other processes.
    ///
    /// - Throws: `.locked`, `.notFound`, `.fileFailure`, and the errors of the body.
    func run<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try LMDBRegistry.shared.reserving(url) { () throws(StoreError) in
            let descriptor = try lock()
            defer { if descriptor >= 0 { close(descriptor) } }
            LMDBCreation.removeLeftovers(of: RealPath.of(url.path))
            return try body()
        }
    }

    /// Locks the first byte of the lock file, on which every process that has the store open holds
    /// a shared lock (mdb.c, `mdb_env_excl_lock`).
    ///
    /// - Returns: The descriptor that holds the lock, or -1 if the lock file cannot be created. In
    ///   that case, no process can write.
    /// - Throws: `.locked` or `.fileFailure`.
    private func lock() throws(StoreError) -> Int32 {
        let main = url.followingLinks.path
        let path = ReaderTableFile(ofFileAt: main).path
        let descriptor: Int32
        do throws(FileFailure) {
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
            close(descriptor)
            if code == EAGAIN || code == EACCES {
                throw .locked(.file(url), holder: "another process")
            }
            throw .fileFailure(FileFailure(operation: "fcntl", path: path, code: code))
        }
        return descriptor
    }
}
