import Foundation

/// An advisory lock on a file. It excludes other processes, and other holders in the same process.
///
/// The lock is held until the object is released or the process ends. The lock file is not removed:
/// if it were, two processes could hold the lock at the same time.
public final class FileLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock without waiting. Returns `nil` if the lock is held elsewhere.
    ///
    /// A symbolic link at the path is not followed.
    ///
    /// - Parameter path: the path of the lock file, which is created if it does not exist. Only its
    ///   owner can then open it.
    /// - Throws: a failure if the file cannot be created, opened or locked.
    public convenience init?(ifFree path: String) throws(FileFailure) {
        try self.init(ifFree: path, of: path)
    }

    /// Takes the lock without waiting. Returns `nil` if the lock is held elsewhere.
    ///
    /// - Parameters:
    ///   - path: the path of the lock file, which is created if it does not exist.
    ///   - main: the path of the file whose users share the lock. The lock file gets its mode, owner
    ///     and group, as far as this process may set them.
    /// - Throws: a failure if the file cannot be created, opened or locked.
    package init?(ifFree path: String, of main: String) throws(FileFailure) {
        descriptor = try PosixFile.openOrCreateCompanion(path, of: main).descriptor
        guard try PosixFile.lock(descriptor, path) else { return nil }
    }

    deinit { PosixFile.closeUnlocking(descriptor) }
}

extension HeldFile {
    /// Takes advisory locks on several folders, which exclude other processes and other threads. Takes
    /// all of the locks or none. Returns `nil` if one of them is held elsewhere.
    ///
    /// The locks are released with the returned objects. The folders themselves are locked, so that no
    /// lock files are left and no lock of a library is affected. On a file system without such locks,
    /// every attempt succeeds. All callers take the locks in the same order, so two of them cannot wait
    /// for each other.
    ///
    /// - Parameters:
    ///   - folders: the paths. If two of them lead to the same folder, it is locked once.
    ///   - isShared: whether the locks can be held several times, as long as all holders share
    ///     them.
    /// - Throws: a failure if a folder cannot be opened.
    package static func locking(
        _ folders: some Sequence<String>, isShared: Bool
    ) throws(FileFailure) -> [HeldFile]? {
        var opened: [FileIdentity: HeldFile] = [:]
        for folder in Set(folders) {
            let file = try HeldFile(opening: folder, O_RDONLY | O_DIRECTORY)
            opened[try file.stamp().identity] = file
        }
        var held: [HeldFile] = []
        for (_, file) in opened.sorted(by: { $0.key < $1.key }) {
            guard file.lock(isShared: isShared) else { return nil }
            held.append(file)
        }
        return held
    }
}
