import Foundation

/// A hidden folder in which a process makes something, and which another process may remove after
/// the first one was killed.
///
/// The process holds a lock on the folder as long as it lives. A file system without such locks
/// never says that a folder is abandoned, so its abandoned folders stay.
package final class WorkFolder: Sendable {
    /// The folder.
    package let path: String
    private let lock: HeldFile

    private init(_ lock: HeldFile, path: String) {
        self.lock = lock
        self.path = path
    }

    /// Makes a folder that only its owner may enter.
    ///
    /// - Parameter prefix: the path up to a unique part that this adds.
    /// - Throws: the failure of `mkdir` or `open`; no folder is left then.
    package static func make(prefix: String) throws(FileFailure) -> WorkFolder {
        while true {
            let path = prefix + UUID().uuidString
            guard mkdir(path, 0o700) == 0 else { throw PosixFile.failure("mkdir", path) }
            let folder: HeldFile
            do throws(FileFailure) {
                folder = try hold(path)
            } catch {
                // Another process took the folder for abandoned before it was locked.
                if error.code == ENOENT { continue }
                rmdir(path)
                throw error
            }
            if folder.lock(isShared: false), isNamed(folder, path) {
                return WorkFolder(folder, path: path)
            }
        }
    }

    /// Returns the folders of processes that do not live any more, each locked by this one now.
    ///
    /// - Parameter prefix: as for ``make(prefix:)``.
    package static func abandoned(prefix: String) -> [WorkFolder] {
        let parent = (prefix as NSString).deletingLastPathComponent
        let mark = (prefix as NSString).lastPathComponent
        // A store whose own name begins like the mark is not taken for a folder of work.
        let paths = Leftovers.paths(in: parent, prefix: mark) {
            UUID(uuidString: String($0)) != nil
        }
        return paths.compactMap { path in
            guard let folder = try? hold(path), folder.locksAlone(), isNamed(folder, path) else {
                return nil
            }
            return WorkFolder(folder, path: path)
        }
    }

    /// Removes the folder and everything in it. What cannot be removed is hidden, and stays.
    package func remove() { try? FileManager.default.removeItem(atPath: path) }

    private static func hold(_ path: String) throws(FileFailure) -> HeldFile {
        try HeldFile(PosixFile.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), path: path)
    }

    private static func isNamed(_ folder: HeldFile, _ path: String) -> Bool {
        guard let held = try? folder.stamp().identity else { return false }
        return (try? FileIdentity(at: path)) == held
    }
}
