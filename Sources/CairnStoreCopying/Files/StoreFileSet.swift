import CairnFiles
import CairnStore
import Foundation

/// The files of a store, and the steps that move them to another location.
///
/// Large values are in folders, each in a file with a unique name. These files are moved first, next to
/// those that are already there. Then the rename of the main file decides which store exists: a crash
/// before it leaves the old store complete, and a crash after it leaves the new store complete. Either
/// may have more files than it needs.
///
/// A folder of large values may also be used by another store with a similar name. Of such a folder,
/// only the files that the store's rows name belong to the set, and files that are moved to such a
/// location go to a folder that only the store uses.
struct StoreFileSet {
    /// The main file or folder. Without it, there is no store.
    let main: URL
    /// The files and folders that contain other data of the store, whether they exist or not.
    let data: [URL]
    /// Files such as locks, which are created again when they are needed.
    let scratch: [URL]
    private let engine: any FileStore.Type
    /// The folder that other stores use, too, and the folder to use instead. `nil` if there are no
    /// such stores.
    private let common: (shared: URL, own: URL)?
    /// The names of the files in the shared folder that belong to the store, and of those that no
    /// other store uses. Empty until ``readingNames()``.
    private var names: (all: Set<String>, removable: Set<String>) = ([], [])

    /// - Parameter leaving: a store that does not count as another user of a folder, because it is
    ///   about to be moved here.
    init(_ engine: any FileStore.Type, at url: URL, except leaving: URL? = nil) {
        let companions = engine.companionFiles(of: .file(url))
        main = url
        data = companions.filter { $0.role == .data }.map(\.url)
        scratch = companions.filter { $0.role == .scratch }.map(\.url)
        self.engine = engine
        common = (engine as? any ExternalDataStore.Type)?
            .sharedFolder(of: .file(url), except: leaving)
    }

    /// Where data files that are moved here go, in the order of ``data``.
    var destinations: [URL] { data.map { $0 == common?.shared ? common?.own ?? $0 : $0 } }

    /// Returns the set with the names of the files that belong to the store. Reads the store's rows
    /// if other stores use its folder, too.
    ///
    /// - Precondition: the caller has exclusive use of the store, and has not moved it yet.
    /// - Throws: the errors of ``ExternalDataStore/externalNames(at:)``.
    func readingNames() throws(StoreError) -> StoreFileSet {
        guard common != nil, let engine = engine as? any ExternalDataStore.Type else { return self }
        var set = self
        set.names = try engine.externalNames(at: .file(main))
        return set
    }

    /// Returns the names of the files in a folder that belong to the store. `nil` means all files.
    private func names(in folder: URL) -> Set<String>? {
        folder == common?.shared ? names.all : nil
    }

    /// Moves the store durably to a location without a store.
    ///
    /// - Throws: `EEXIST` if a store exists at the new location by now; the errors of
    ///   ``move(to:puttingAside:)``.
    func move(toFree target: StoreFileSet) throws(FileFailure) {
        try move(to: target) { () throws(FileFailure) in
            guard try PosixFile.publish(main.path, as: target.main.path) else {
                throw FileFailure(operation: "rename to", path: target.main.path, code: EEXIST)
            }
        }
    }

    /// Moves the store durably to another location. A store that exists there is replaced.
    ///
    /// - Parameter aside: where to move the replaced store if one of the stores is a folder,
    ///   because a rename cannot replace it then.
    /// - Throws: a failure if the store cannot be moved, in which case nothing has changed, or if
    ///   the move cannot be made durable, in which case the store has been moved.
    func move(to target: StoreFileSet, puttingAside aside: URL) throws(FileFailure) {
        let isFolder = target.main.isThere && (target.main.isFolder || main.isFolder)
        try move(to: target) { () throws(FileFailure) in
            if isFolder { try Self.rename(target.main, aside) }
            do throws(FileFailure) {
                try Self.rename(main, target.main)
            } catch {
                if isFolder { try Self.rename(aside, target.main) }
                throw error
            }
        }
    }

    private func move(
        to target: StoreFileSet, _ rename: () throws(FileFailure) -> Void
    ) throws(FileFailure) {
        try synchronize()
        let made = try linkData(to: target)
        do {
            try rename()
        } catch {
            Self.remove(made)
            throw error
        }
        try PosixFile.syncFolder(target.folder)
    }

    private static func rename(_ from: URL, _ to: URL) throws(FileFailure) {
        guard Foundation.rename(from.path, to.path) == 0 else {
            throw FileFailure(operation: "rename", path: to.path, code: errno)
        }
    }

    /// Makes all existing files durable.
    func synchronize() throws(FileFailure) {
        for url in [main] + data where url.isThere { try FileTree(url).synchronize() }
    }

    /// Links the data files of this store to the paths of another store's data files. Files that
    /// exist there are kept.
    ///
    /// - Returns: the files and folders that were created, so that they can be removed if a later
    ///   step fails.
    /// - Throws: a failure if a file cannot be linked. The other links have been removed then.
    func linkData(to other: StoreFileSet) throws(FileFailure) -> [URL] {
        var made: [URL] = []
        do {
            for (from, to) in zip(data, other.destinations) where from.isThere && from != to {
                try FileTree(from, only: names(in: from)).link(to: to, noting: &made)
            }
            if !made.isEmpty { try PosixFile.syncFolder(other.folder) }
        } catch {
            Self.remove(made)
            throw error
        }
        return made
    }

    /// Copies the main file and the data files durably to a location without a store.
    func copyAll(to target: StoreFileSet) throws(FileFailure) {
        try FileTree(main).copy(to: target.main)
        for (from, to) in zip(data, target.data) where from.isThere {
            try FileTree(from, only: names(in: from)).copy(to: to)
        }
    }

    /// Removes the files in folders of this store that the store which replaced it does not have. Data files
    /// that are no folders were removed before, so those that are there belong to the new store. `other`
    /// contains the files of the new store at its former location, and `target` those at its new
    /// location.
    func removeData(notIn other: StoreFileSet, at target: StoreFileSet) {
        let names = zip(target.destinations, other.data).map { ($0, FileTree($1).names) }
        let kept = Dictionary(names, uniquingKeysWith: +)
        for url in data where url.isFolder {
            if url == common?.shared {
                Self.remove(ownFiles(in: url))
            } else {
                FileTree(url).remove(notIn: kept[url] ?? [])
            }
        }
    }

    /// Returns the data files and the files that can be created again, each folder before its contents.
    ///
    /// Call this before the main file is removed or moved: from then on, another process may create a store
    /// with a similar name, whose new files in the same folder must stay.
    ///
    /// - Parameter kept: files that belong to the store at its new location.
    func companions(except kept: [URL] = []) -> [URL] {
        (data + scratch).filter { $0.isThere && !kept.contains($0) }.flatMap { url in
            url == common?.shared ? ownFiles(in: url) : FileTree(url).items
        }
    }

    /// Removes companions. A folder stays if another process has created a file in it.
    ///
    /// - Throws: the system's error for the first file that cannot be removed.
    static func removeCompanions(_ items: [URL]) throws(FileFailure) {
        for url in items.reversed() where unlink(url.path) != 0 {
            var code = errno
            if url.isFolder { code = rmdir(url.path) == 0 ? ENOENT : errno }
            let hasNewFile = code == ENOTEMPTY && access(url.path, R_OK) == 0
            if code == ENOENT || hasNewFile { continue }
            throw FileFailure(operation: "unlink", path: url.path, code: code)
        }
    }

    /// Returns the files that belong to this store alone. The folder stays, because another store may be
    /// about to create a file in it.
    private func ownFiles(in folder: URL) -> [URL] {
        FileTree(folder, only: names.removable).items.filter { !$0.isFolder }
    }

    /// The size of the main file, or of the contents of the main folder.
    ///
    /// - Throws: `.fileFailure`.
    var mainByteCount: Int64 {
        get throws(StoreError) { Int64(try main.byteCount()) }
    }

    var folder: String { main.deletingLastPathComponent().path }

    /// Removes files and empty folders, in reverse order.
    static func remove(_ made: [URL]) {
        for url in made.reversed() where unlink(url.path) != 0 { rmdir(url.path) }
    }
}

extension URL {
    /// Whether a file, a folder or a link exists at this URL.
    var isThere: Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Whether a folder exists at this URL. Links are not followed.
    var isFolder: Bool {
        let status = try? PosixFile.companionStatus(path)
        return status.map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
    }
}
