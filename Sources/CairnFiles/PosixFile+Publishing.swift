import Foundation

#if os(Linux)
import CairnCLinux
#endif

extension PosixFile {
    /// Gives a finished file or folder its name, unless something already has that name.
    ///
    /// Every new store is published with this call. Therefore, if another process creates the same
    /// store at the same time, the store that was published first is kept. The new name is durable
    /// after ``syncFolder(_:)``.
    ///
    /// On a file system without `RENAME_NOREPLACE`, a hard link with the new name is created, and
    /// the temporary name is removed afterwards. If the process is killed in between, both names
    /// are left. Therefore callers remove leftover temporary names before they open files for
    /// writing.
    ///
    /// - Returns: `false` if the name is taken. Nothing has changed then.
    /// - Throws: the failure of the rename. Nothing has changed then.
    package static func publish(
        _ temporary: String, as name: String
    ) throws(FileFailure) -> Bool {
        if renameToFreeName(temporary, name) { return true }
        switch errno {
        case EEXIST, ENOTEMPTY: return false
        case let code where meansUnsupported(code): return try publishByLink(temporary, as: name)
        default: throw failure("rename to", name)
        }
    }

    /// Implements ``publish(_:as:)`` on a file system that cannot refuse to replace a file.
    static func publishByLink(
        _ temporary: String, as name: String
    ) throws(FileFailure) -> Bool {
        if Foundation.link(temporary, name) == 0 {
            unlink(temporary)
            return true
        }
        if errno == EEXIST { return false }
        // Some file systems have no hard links, and folders never have them. In that case, only the
        // lock that the caller holds while it creates a store keeps other processes from taking the
        // name.
        guard [EPERM, ENOTSUP, EOPNOTSUPP].contains(errno) else { throw failure("link to", name) }
        guard access(name, F_OK) != 0 else { return false }
        guard rename(temporary, name) == 0 else { throw failure("rename to", name) }
        return true
    }

    /// Exchanges the names of two files or folders in one step. At no time is either name unused.
    ///
    /// - Returns: `false` if the file system cannot exchange names. Nothing has changed then.
    /// - Throws: the failure of the rename. Nothing has changed then.
    package static func exchange(_ path: String, _ other: String) throws(FileFailure) -> Bool {
        if exchangeNames(path, other) { return true }
        if meansUnsupported(errno) { return false }
        throw failure("exchange with", other)
    }

    /// Returns whether a rename failed because the file system does not support its flags.
    private static func meansUnsupported(_ code: Int32) -> Bool {
        [EINVAL, ENOSYS, ENOTSUP, EOPNOTSUPP].contains(code)
    }

    private static func renameToFreeName(_ path: String, _ name: String) -> Bool {
        #if canImport(Darwin)
        renamex_np(path, name, UInt32(RENAME_EXCL)) == 0
        #else
        // In stdio.h, RENAME_NOREPLACE is 1 << 0.
        renameat2(AT_FDCWD, path, AT_FDCWD, name, 1 << 0) == 0
        #endif
    }
    private static func exchangeNames(_ path: String, _ other: String) -> Bool {
        #if canImport(Darwin)
        renamex_np(path, other, UInt32(RENAME_SWAP)) == 0
        #else
        // In stdio.h, RENAME_EXCHANGE is 1 << 1.
        renameat2(AT_FDCWD, path, AT_FDCWD, other, 1 << 1) == 0
        #endif
    }
}
