import Foundation

#if os(Linux)
import CairnCLinux
#endif

extension PosixFile {
    /// Gives a finished file or folder its name, unless something has that name already.
    ///
    /// Every new store is published by this call: a second process that creates the same store at
    /// the same time keeps what it made. The new name is durable after ``syncFolder(_:)``.
    ///
    /// A file system without `RENAME_NOREPLACE` is given a second link to the file instead, and the
    /// first name is removed after it. A process that is killed in between leaves two names.
    /// Callers therefore remove leftover temporary names before they open files for writing.
    ///
    /// - Returns: `false` if the name is taken; nothing has changed then.
    /// - Throws: the failure of the rename; nothing has changed then.
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

    /// The way of ``publish(_:as:)`` on a file system that cannot refuse to replace a file.
    static func publishByLink(
        _ temporary: String, as name: String
    ) throws(FileFailure) -> Bool {
        if Foundation.link(temporary, name) == 0 {
            unlink(temporary)
            return true
        }
        if errno == EEXIST { return false }
        // Some file systems have no links, and folders never have them. Then the lock that the
        // caller holds while it creates a store is all that keeps another process from the name.
        guard [EPERM, ENOTSUP, EOPNOTSUPP].contains(errno) else { throw failure("link to", name) }
        guard access(name, F_OK) != 0 else { return false }
        guard rename(temporary, name) == 0 else { throw failure("rename to", name) }
        return true
    }

    /// Exchanges the names of two files or folders in one step: at no moment is either name free.
    ///
    /// - Returns: `false` if the file system cannot exchange names; nothing has changed then.
    /// - Throws: the failure of the rename; nothing has changed then.
    package static func exchange(_ path: String, _ other: String) throws(FileFailure) -> Bool {
        if exchangeNames(path, other) { return true }
        if meansUnsupported(errno) { return false }
        throw failure("exchange with", other)
    }

    /// Whether a rename failed because the file system does not know its flags.
    private static func meansUnsupported(_ code: Int32) -> Bool {
        [EINVAL, ENOSYS, ENOTSUP, EOPNOTSUPP].contains(code)
    }

    private static func renameToFreeName(_ path: String, _ name: String) -> Bool {
        #if canImport(Darwin)
        renamex_np(path, name, UInt32(RENAME_EXCL)) == 0
        #else
        // stdio.h: RENAME_NOREPLACE is 1 << 0.
        renameat2(AT_FDCWD, path, AT_FDCWD, name, 1 << 0) == 0
        #endif
    }
    private static func exchangeNames(_ path: String, _ other: String) -> Bool {
        #if canImport(Darwin)
        renamex_np(path, other, UInt32(RENAME_SWAP)) == 0
        #else
        // stdio.h: RENAME_EXCHANGE is 1 << 1.
        renameat2(AT_FDCWD, path, AT_FDCWD, other, 1 << 1) == 0
        #endif
    }
}
