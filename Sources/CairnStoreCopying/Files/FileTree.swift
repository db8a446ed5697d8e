import CairnFiles
import Foundation

/// A file, or a folder with its contents.
struct FileTree {
    let url: URL
    /// The names of the files that count. If `nil`, all files count.
    private let only: Set<String>?

    init(_ url: URL, only: Set<String>? = nil) {
        self.url = url
        self.only = only
    }

    /// The paths in the folder, relative to it. A folder comes before its contents. Empty for a file.
    var names: [String] {
        guard url.isFolder else { return [] }
        let all = (try? FileManager.default.subpathsOfDirectory(atPath: url.path).sorted()) ?? []
        guard let only else { return all }
        return all.filter {
            only.contains(($0 as NSString).lastPathComponent) || url.appending(path: $0).isFolder
        }
    }

    /// The file itself, or the folder and the files and folders in it. A folder comes before its contents.
    var items: [URL] { [url] + names.map { url.appending(path: $0) } }

    /// Checks that the tree consists of folders and regular files only. A symbolic link could lead to
    /// a file that does not belong to the store.
    ///
    /// - Throws: `ELOOP` for a symbolic link, `EINVAL` for another kind of file.
    func requireNoLinks() throws(FileFailure) {
        for item in items {
            guard let status = try PosixFile.companionStatus(item.path) else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFREG, S_IFDIR: continue
            case S_IFLNK: throw FileFailure(operation: "open", path: item.path, code: ELOOP)
            default: throw FileFailure(operation: "open", path: item.path, code: EINVAL)
            }
        }
    }

    /// Gives everything the permissions of a file, and its owner and group as far as this process may
    /// set them. Files with other names (hard links) are not changed.
    func takeModeAndOwner(of other: URL) throws(FileFailure) {
        for item in items {
            guard let status = try PosixFile.companionStatus(item.path) else { continue }
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            guard isFolder || status.st_nlink == 1 else { continue }
            try HeldFile(opening: item.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
                .takeModeAndOwner(of: other.path, isFolder ? 0o777 : 0o666)
        }
    }

    /// Makes the contents of files and the entries of folders durable.
    func synchronize() throws(FileFailure) {
        try requireNoLinks()
        for item in items {
            try item.isFolder ? PosixFile.syncFolder(item.path) : PosixFile.sync(item.path)
        }
    }

    /// Gives each file a second name at another path, and creates folders as needed. Files that already
    /// exist there are kept. If the file system does not support links, files are copied.
    ///
    /// - Parameter made: every file and folder that was created is appended to this array, even if the
    ///   method throws.
    func link(to target: URL, noting made: inout [URL]) throws(FileFailure) {
        try requireNoLinks()
        try FileTree(target).requireNoLinks()
        for name in [""] + names {
            let from = name.isEmpty ? url : url.appending(path: name)
            let to = name.isEmpty ? target : target.appending(path: name)
            if to.isThere { continue }
            if from.isFolder {
                try Self.makeFolder(to, like: from)
            } else {
                try Self.link(from.path, to.path)
            }
            made.append(to)
        }
        try FileTree(target).synchronizeFolders()
    }

    /// Copies to a path at which nothing exists.
    ///
    /// - Parameter synchronizes: whether to make the copy durable, so that it survives a power
    ///   failure.
    func copy(to target: URL, synchronizes: Bool = true) throws(FileFailure) {
        try requireNoLinks()
        guard url.isFolder else {
            return try PosixFile.copy(url.path, toNew: target.path, synchronizes: synchronizes)
        }
        for name in [""] + names {
            let from = name.isEmpty ? url : url.appending(path: name)
            let to = name.isEmpty ? target : target.appending(path: name)
            guard from.isFolder else {
                try PosixFile.copy(from.path, toNew: to.path, synchronizes: synchronizes)
                continue
            }
            try Self.makeFolder(to, like: from)
        }
        if synchronizes { try FileTree(target).synchronizeFolders() }
    }

    /// Removes everything whose path is not in `kept`. If `kept` is empty, removes the folder itself,
    /// too.
    func remove(notIn kept: [String]) {
        guard !kept.isEmpty else {
            // Files that cannot be removed are not used by any store, and do no harm.
            try? remove()
            return
        }
        let kept = Set(kept)
        for name in names.reversed() where !kept.contains(name) {
            StoreFileSet.remove([url.appending(path: name)])
        }
    }

    /// Removes everything. Does nothing if nothing exists.
    func remove() throws(FileFailure) {
        do {
            try FileManager.default.removeItem(at: url)
        } catch let error as CocoaError where error.code == .fileNoSuchFile {
            return
        } catch {
            throw FileFailure(operation: "unlink", path: url.path, code: error.posixCode)
        }
    }

    private func synchronizeFolders() throws(FileFailure) {
        guard url.isFolder else { return }
        for item in items where item.isFolder {
            try PosixFile.syncFolder(item.path)
        }
    }

    /// Creates a folder with the permissions of another one, and its owner and group as far as this
    /// process may set them.
    private static func makeFolder(_ folder: URL, like other: URL) throws(FileFailure) {
        guard mkdir(folder.path, 0o700) == 0 else {
            throw FileFailure(operation: "mkdir", path: folder.path, code: errno)
        }
        try HeldFile(opening: folder.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
            .takeModeAndOwner(of: other.path)
    }

    private static func link(_ from: String, _ to: String) throws(FileFailure) {
        if Foundation.link(from, to) == 0 { return }
        guard errno == EPERM || errno == ENOTSUP || errno == EMLINK else {
            throw FileFailure(operation: "link", path: to, code: errno)
        }
        // If the process is killed, no incomplete file has the name.
        let temporary = to + ".new"
        unlink(temporary)
        try PosixFile.copy(from, toNew: temporary)
        guard rename(temporary, to) == 0 else {
            throw FileFailure(operation: "rename to", path: to, code: errno)
        }
    }
}
