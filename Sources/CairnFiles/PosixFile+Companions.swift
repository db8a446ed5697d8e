import Foundation
import Synchronization

/// Companions are the files and folders that belong to a file and are found by its name, such as
/// the locks, logs and large values of a store.
///
/// Whoever may write to the folder can create a symbolic link with the name of a companion. If the link
/// were followed, this process would read or overwrite any file that its user may use. Therefore
/// every companion is opened with one of these functions, and none of them follows a link.
extension PosixFile {
    /// Opens a companion. Programs that this process starts do not inherit the descriptor.
    ///
    /// - Throws: `ELOOP` for a symbolic link, `EISDIR` for a folder, `EINVAL` for anything else but a
    ///   regular file; any other failure of `open`.
    package static func openCompanion(
        _ path: String, _ flags: Int32
    ) throws(FileFailure) -> Int32 {
        // Without O_NONBLOCK, opening a named pipe would wait for a writer.
        let descriptor = try open(path, flags | O_NONBLOCK | noFollow(path))
        var status = stat()
        do throws(FileFailure) {
            guard fstat(descriptor, &status) == 0 else { throw failure("fstat", path) }
            try requireCompanion(status, path)
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Opens a companion without content of its own, such as a lock, for reading and writing.
    /// Creates it if it does not exist.
    ///
    /// Gives the companion the mode, the owner and the group of the file that it belongs to, as far
    /// as this process may. Otherwise other users of that file could not open the companion.
    ///
    /// - Parameters:
    ///   - path: the path of the companion.
    ///   - main: the path of the file that it belongs to, which need not exist.
    /// - Returns: the descriptor, and whether the companion was created.
    /// - Throws: the errors of ``openCompanion(_:_:)``.
    package static func openOrCreateCompanion(
        _ path: String, of main: String
    ) throws(FileFailure) -> (descriptor: Int32, isNew: Bool) {
        while true {
            do {
                let descriptor = try openCompanion(path, O_RDWR)
                shareCompanion(descriptor, path, of: main)
                return (descriptor, false)
            } catch {
                guard error.code == ENOENT else { throw error }
            }
            do {
                let isExclusive = noFollow(path) != 0
                let descriptor = try openCompanion(
                    path, O_RDWR | O_CREAT | (isExclusive ? O_EXCL : 0))
                shareCompanion(descriptor, path, of: main)
                return (descriptor, true)
            } catch {
                // Another process has created the file in the meantime.
                guard error.code == EEXIST else { throw error }
            }
        }
    }

    /// Checks a companion that a library is about to open by its path. Nothing is wrong if the
    /// companion does not exist, or if another program removes it meanwhile.
    ///
    /// - Parameters:
    ///   - path: the path of the companion.
    ///   - isWritten: whether the library writes to the companion.
    /// - Throws: the errors of ``openCompanion(_:_:)``; `EMLINK` if the companion is written and has
    ///   other names (hard links), because the file of the other name would be overwritten.
    package static func requireCompanion(
        _ path: String, isWritten: Bool
    ) throws(FileFailure) {
        guard let status = try companionStatus(path) else { return }
        try requireCompanion(status, path)
        if isWritten { try requireOnlyName(status, path) }
        guard access(path, isWritten ? R_OK | W_OK : R_OK) == 0 || errno == ENOENT else {
            throw failure("open", path)
        }
    }

    /// Sets the permissions of another file, and also its owner and group as far as this process
    /// may. Has no effect if the other file does not exist.
    ///
    /// If the group cannot be set, its members get the permissions of all other users: they are not
    /// the group that was given more.
    ///
    /// - Parameter modes: the permissions that are taken over. The others are removed.
    static func takeModeAndOwner(
        _ descriptor: Int32, _ path: String, of other: String, _ modes: mode_t = 0o777
    ) throws(FileFailure) {
        var (wanted, own) = (stat(), stat())
        guard stat(other, &wanted) == 0, fstat(descriptor, &own) == 0 else { return }
        var hasGroup = own.st_gid == wanted.st_gid
        // Set the owner first, because changing the owner clears set-user-ID bits.
        if own.st_uid != wanted.st_uid || !hasGroup {
            hasGroup =
                fchown(descriptor, wanted.st_uid, wanted.st_gid) == 0
                || fchown(descriptor, uid_t.max, wanted.st_gid) == 0
        }
        var mode = wanted.st_mode & 0o777
        if !hasGroup { mode = mode & 0o707 | (mode & 0o007) << 3 }
        // Whoever may read a folder must be able to enter it.
        if own.st_mode & S_IFMT == S_IFDIR { mode |= (mode & 0o444) >> 2 }
        mode &= modes
        guard own.st_mode & 0o777 == mode || fchmod(descriptor, mode) == 0 else {
            throw failure("fchmod", path)
        }
    }

    private static func shareCompanion(_ descriptor: Int32, _ path: String, of main: String) {
        var status = stat()
        // With another name, it may be a file that has nothing to do with this one.
        guard fstat(descriptor, &status) == 0, status.st_nlink <= 1 else { return }
        // Another user's file cannot be changed, but has been opened, so nothing is missing.
        try? takeModeAndOwner(descriptor, path, of: main, 0o666)
    }

    /// Checks that writing to a companion does not overwrite the file of another name.
    ///
    /// - Throws: `EMLINK`.
    package static func requireOnlyName(
        _ status: stat, _ path: String
    ) throws(FileFailure) {
        guard status.st_nlink <= 1 else {
            throw FileFailure(operation: "open", path: path, code: EMLINK)
        }
    }

    private static func requireCompanion(
        _ status: stat, _ path: String
    ) throws(FileFailure) {
        let code: Int32
        switch status.st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFLNK: code = ELOOP
        case S_IFDIR: code = EISDIR
        default: code = EINVAL
        }
        throw FileFailure(operation: "open", path: path, code: code)
    }

    // MARK: Folders of companions

    /// Creates a folder that belongs to a file, unless it exists. The folder gets the permissions of
    /// that file, and its owner and group as far as this process may set them. The name is durable
    /// when this function returns.
    ///
    /// - Parameters:
    ///   - path: the path of the folder. Its parent is the folder of the file, or such a folder.
    ///   - main: the path of the file.
    /// - Throws: the failure of `mkdir`, `open` or `fsync`; `ELOOP` if a folder between the file and
    ///   the new folder is a symbolic link.
    package static func makeCompanionFolder(
        _ path: String, of main: String
    ) throws(FileFailure) {
        let (parent, name) = try companionParent(of: path, main)
        let isNew = if let parent { try parent.makeFolder(name) } else { try makeFolder(path) }
        guard isNew else { return }
        try HeldFile(companion: path, of: main, O_RDONLY | O_DIRECTORY).takeModeAndOwner(of: main)
        guard let parent else { return try syncFolder(path.pathParts.folder) }
        try parent.synchronize()
    }

    /// Writes a new file that belongs to another file, and waits until it is on the medium. It gets
    /// the permissions of that file, and its owner and group as far as this process may set them.
    ///
    /// If the file cannot be written completely, it is removed. The folder's entry is not
    /// synchronized.
    ///
    /// - Throws: the errors of ``HeldFile/init(companion:of:_:)``; a failure of writing.
    package static func write(
        _ data: Data, toNewCompanion path: String, of main: String
    ) throws(FileFailure) {
        let file = try HeldFile(companion: path, of: main, O_WRONLY | O_CREAT | O_EXCL)
        do {
            try file.takeModeAndOwner(of: main, 0o666)
            try file.write(data)
            try file.synchronize()
        } catch {
            removeCompanion(path, of: main)
            throw error
        }
    }

    /// Removes a file that belongs to another file. Does nothing if the file does not exist, cannot
    /// be removed, or is in a folder that is reached through a symbolic link.
    package static func removeCompanion(_ path: String, of main: String) {
        guard let (parent, name) = try? companionParent(of: path, main) else { return }
        if let parent { parent.removeFile(name) } else { unlink(path) }
    }

    /// Opens the folder of a companion. Follows no symbolic link between the folder of the file that
    /// the companion belongs to and the companion.
    ///
    /// - Returns: the folder and the companion's name in it. The folder is `nil` if it is that of the
    ///   file itself, which may be reached through links.
    fileprivate static func companionParent(
        of path: String, _ main: String
    ) throws(FileFailure) -> (HeldFile?, name: String) {
        let folder = main.pathParts.folder
        let names = path.dropFirst(folder.count).split(separator: "/").map(String.init)
        guard let first = names.first, let last = names.last, names.count > 1 else {
            return (nil, path.pathParts.name)
        }
        let top = folder + "/" + first
        var parent = try HeldFile(companion: top, of: main, O_RDONLY | O_DIRECTORY)
        for name in names[1..<(names.count - 1)] {
            parent = try parent.openFile(name, O_RDONLY | O_DIRECTORY)
        }
        return (parent, last)
    }

    /// Creates the folders of a file that are missing below another folder. Only their owner may enter them.
    package static func makeFolders(of path: String, in top: String) throws(FileFailure) {
        let folder = path.pathParts.folder
        if folder == top || folder.utf8.count <= top.utf8.count { return }
        try makeFolders(of: folder, in: top)
        _ = try makeFolder(folder)
    }

    private static func makeFolder(_ path: String) throws(FileFailure) -> Bool {
        if mkdir(path, 0o700) == 0 { return true }
        guard errno == EEXIST else { throw failure("mkdir", path) }
        return false
    }

    // MARK: Links of this process

    /// The folders with links that this process has created itself.
    private static let linkFolders = Mutex<Set<String>>([])

    /// Allows companions to be opened through the symbolic links in a folder.
    ///
    /// The command uses such links for stores with a name that a Swift string cannot represent. It
    /// creates them in a folder to which only its user may write.
    package static func followLinks(inFolder folder: String) {
        linkFolders.withLock { $0.formUnion([folder, RealPath.of(folder)]) }
    }

    /// Returns the status of a companion. A symbolic link is not followed, unless this process has
    /// created it itself. Returns `nil` if nothing is there.
    ///
    /// - Throws: any other failure of `lstat`.
    package static func companionStatus(_ path: String) throws(FileFailure) -> stat? {
        var status = stat()
        let isFollowed = noFollow(path) == 0
        if (isFollowed ? stat(path, &status) : lstat(path, &status)) == 0 { return status }
        if errno == ENOENT || errno == ENOTDIR { return nil }
        throw failure("stat", path)
    }

    /// Returns `O_NOFOLLOW`, or 0 if the path is a link that this process has created itself.
    static func noFollow(_ path: String) -> Int32 {
        let isOwn = linkFolders.withLock {
            !$0.isEmpty && $0.contains(path.pathParts.folder)
        }
        return isOwn ? 0 : O_NOFOLLOW
    }
}

extension HeldFile {
    /// Opens a file or a folder that belongs to another file and may be in folders that belong to
    /// it, too. None of them is opened through a symbolic link. A new file gets mode 0600.
    ///
    /// - Parameters:
    ///   - path: the path of the file or folder.
    ///   - main: the path of the file that it belongs to.
    ///   - flags: the flags of `open`.
    /// - Throws: `ELOOP` for a symbolic link; any other failure of `open`.
    package convenience init(
        companion path: String, of main: String, _ flags: Int32
    ) throws(FileFailure) {
        let (parent, name) = try PosixFile.companionParent(of: path, main)
        // Without O_NONBLOCK, opening a named pipe would wait for a writer.
        let flags = flags | O_NONBLOCK
        if let parent {
            try self.init(parent.open(name, flags), path: path)
        } else {
            do {
                try self.init(opening: path, flags | PosixFile.noFollow(path))
            } catch {
                throw Self.explained(error)
            }
        }
    }
}
