import Foundation

/// A hidden folder in which a process creates something. If the process is killed, another process
/// may remove the folder.
///
/// The process holds a lock on the folder as long as it lives. On a file system without such locks,
/// no folder is ever regarded as abandoned, so abandoned folders are not removed.
package final class WorkFolder: Sendable {
    /// The path of the folder.
    package let path: String
    private let lock: HeldFile

    private init(_ lock: HeldFile, path: String) {
        self.lock = lock
        self.path = path
    }

    /// Creates a folder that only its owner may enter.
    ///
    /// - Parameter prefix: the beginning of the path. A unique part is appended to it.
    /// - Throws: the failure of `mkdir` or `open`. No folder is left then.
    package static func make(prefix: String) throws(FileFailure) -> WorkFolder {
        while true {
            let path = prefix + UUID().uuidString
            guard mkdir(path, 0o700) == 0 else { throw PosixFile.failure("mkdir", path) }
            let folder: HeldFile
            do {
                folder = try hold(path)
            } catch {
                // Another process regarded the folder as abandoned and removed it before it was
                // locked.
                if error.code == ENOENT { continue }
                rmdir(path)
                throw error
            }
            if folder.lock(isShared: false), isNamed(folder, path) {
                return WorkFolder(folder, path: path)
            }
        }
    }

    /// Takes over a folder that a process left when it died.
    ///
    /// - Precondition: the caller holds a lock that keeps others from using the folder.
    /// - Throws: the failure of `open`; `EBUSY` if the process still lives.
    package static func resuming(_ path: String) throws(FileFailure) -> WorkFolder {
        let folder = try hold(path)
        guard folder.lock(isShared: false) else {
            throw FileFailure(operation: "lock", path: path, code: EBUSY)
        }
        return WorkFolder(folder, path: path)
    }

    /// Returns the folders of processes that have died, each now locked by this process.
    ///
    /// - Parameter prefix: the same as for ``make(prefix:)``.
    package static func abandoned(prefix: String) -> [WorkFolder] {
        let parent = (prefix as NSString).deletingLastPathComponent
        let mark = (prefix as NSString).lastPathComponent
        // A store whose own name begins in the same way must not be mistaken for a work folder.
        let paths = PosixFile.leftovers(in: parent, prefix: mark) {
            UUID(uuidString: String($0)) != nil
        }
        return paths.compactMap { path in
            guard let folder = try? hold(path), folder.locksAlone(), isNamed(folder, path) else {
                return nil
            }
            return WorkFolder(folder, path: path)
        }
    }

    /// Removes the folder and everything in it. Anything that cannot be removed is left in the
    /// hidden folder.
    package func remove() { try? FileManager.default.removeItem(atPath: path) }

    private static func hold(_ path: String) throws(FileFailure) -> HeldFile {
        try HeldFile(PosixFile.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), path: path)
    }

    private static func isNamed(_ folder: HeldFile, _ path: String) -> Bool {
        guard let held = try? folder.stamp().identity else { return false }
        return (try? FileIdentity(at: path)) == held
    }
}
