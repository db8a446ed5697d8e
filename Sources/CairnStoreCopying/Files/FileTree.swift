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

    /// Makes the contents of files and the entries of folders durable.
    func synchronize() throws(FileFailure) {
        for item in [url] + names.map({ url.appending(path: $0) }) {
            try item.isFolder ? PosixFile.syncFolder(item.path) : PosixFile.sync(item.path)
        }
    }

    /// Gives each file a second name at another path, and creates folders as needed. Files that already
    /// exist there are kept. If the file system does not support links, files are copied.
    ///
    /// - Parameter made: every file and folder that was created is appended to this array, even if the
    ///   method throws.
    func link(to target: URL, noting made: inout [URL]) throws(FileFailure) {
        for name in [""] + names {
            let from = name.isEmpty ? url : url.appending(path: name)
            let to = name.isEmpty ? target : target.appending(path: name)
            if to.isThere { continue }
            if from.isFolder {
                guard mkdir(to.path, 0o700) == 0 else {
                    throw FileFailure(operation: "mkdir", path: to.path, code: errno)
                }
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
            guard mkdir(to.path, 0o700) == 0 else {
                throw FileFailure(operation: "mkdir", path: to.path, code: errno)
            }
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
        for item in [url] + names.map({ url.appending(path: $0) }) where item.isFolder {
            try PosixFile.syncFolder(item.path)
        }
    }

    private static func link(_ from: String, _ to: String) throws(FileFailure) {
        if Foundation.link(from, to) == 0 { return }
        guard errno == EPERM || errno == ENOTSUP || errno == EMLINK else {
            throw FileFailure(operation: "link", path: to, code: errno)
        }
        try PosixFile.copy(from, toNew: to)
    }
}
