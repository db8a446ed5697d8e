import Foundation

#if os(Linux)
import CairnCLinux
#endif

/// Room on the disk for a file's bytes.
package enum FreeSpace {
    /// Takes room for bytes of an open file, whose length and content stay as they are. Does
    /// nothing on file systems that cannot do that.
    ///
    /// - Parameter path: the file's, for the error.
    /// - Throws: `ENOSPC`, `EDQUOT`, or `EFBIG` if the process may not write files as long as that.
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

    /// Returns how many bytes this process can still write to the file system of a folder.
    ///
    /// - Throws: the failure of `statvfs`.
    package static func available(inFolder path: String) throws(FileFailure) -> Int64 {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { throw PosixFile.failure("statvfs", path) }
        return Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    }

    /// `FALLOC_FL_KEEP_SIZE` of linux/falloc.h.
    private static let keepsLength: Int32 = 1
}
