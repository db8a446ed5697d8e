import CairnFiles
import CairnStore
import Foundation

/// The time during which a store's files are moved, replaced or removed: nobody has it open.
struct LMDBExclusiveUse {
    let url: URL

    /// Runs the body while a lock of LMDB's own keeps other processes out.
    ///
    /// - Throws: `.locked`, `.notFound`, `.fileFailure`; what the body throws.
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

    /// Locks the first byte of the lock file, which everybody shares who has the store open
    /// (mdb.c, `mdb_env_excl_lock`).
    ///
    /// - Returns: -1 where the lock file cannot be made: nobody writes there, then.
    /// - Throws: `.locked`, `.fileFailure`.
    private func lock() throws(StoreError) -> Int32 {
        let path = ReaderTableFile(ofFileAt: url.followingLinks.path).path
        let descriptor: Int32
        do throws(FileFailure) {
            descriptor = try PosixFile.open(path, O_RDWR | O_CREAT)
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
