import Foundation

#if os(Linux)
import CairnCLinux
#endif

/// Reserves and measures free disk space.
package enum FreeSpace {
    /// Reserves disk space for bytes of an open file. The length and the content of the file do not
    /// change. Does nothing on file systems that do not support this.
    ///
    /// - Parameters:
    ///   - byteCount: the number of bytes to reserve.
    ///   - offset: the offset in the file of the first byte to reserve.
    ///   - descriptor: an open descriptor of the file that allows writing.
    ///   - path: the path of the file, for errors.
    /// - Throws: `ENOSPC`, `EDQUOT`, or `EFBIG` if the process may not write files of that length.
    package static func reserve(
        _ byteCount: Int, at offset: Int, _ descriptor: Int32, _ path: String
    ) throws(FileFailure) {
        #if os(Linux)
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0,
            limit.rlim_cur < rlim_t(offset + byteCount)
        {
            throw FileFailure(operation: "fallocate", path: path, code: EFBIG)
        }
        while fallocate(descriptor, Self.keepsLength, offset, byteCount) != 0 {
            switch errno {
            case EINTR: continue
            case EOPNOTSUPP, ENOSYS: return
            default: throw PosixFile.failure("fallocate", path)
            }
        }
        #endif
    }

    /// Returns the number of bytes that this process can still write to the file system of a
    /// folder.
    ///
    /// - Throws: the failure of `statvfs`.
    package static func available(inFolder path: String) throws(FileFailure) -> Int64 {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { throw PosixFile.failure("statvfs", path) }
        return Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    }

    /// `FALLOC_FL_KEEP_SIZE` in linux/falloc.h.
    private static let keepsLength: Int32 = 1
}
