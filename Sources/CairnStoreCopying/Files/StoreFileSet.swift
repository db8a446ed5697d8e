import CairnFiles
import CairnStore
import Foundation

/// The files of a store, and the steps by which one store's come to another place.
///
/// Large values lie in folders, each in a file with a name of its own. They are brought first and
/// beside what is there, so that the one rename of the main file decides which store there is: a
/// crash before it leaves the old store whole, one after it the new one, each with some files more
/// than it needs.
struct StoreFileSet {
    /// What makes the store one: without it there is none.
    let main: URL
    /// Files and folders that belong to the data, whether there or not.
    let data: [URL]
    /// Locks and the like, made again when needed.
    let scratch: [URL]

    init(_ engine: any FileStore.Type, at url: URL) {
        let companions = engine.companionFiles(of: .file(url))
        main = url
        data = companions.filter { $0.role == .data }.map(\.url)
        scratch = companions.filter { $0.role == .scratch }.map(\.url)
    }

    /// Brings the store to a place where no store is, durably.
    ///
    /// - Throws: `EEXIST` if a store is there by now; what ``move(to:puttingAside:)`` throws.
    func move(toFree place: StoreFileSet) throws(FileFailure) {
        try move(to: place) { () throws(FileFailure) in
            guard try PosixFile.publish(main.path, as: place.main.path) else {
                throw FileFailure(operation: "rename to", path: place.main.path, code: EEXIST)
            }
        }
    }

    /// Brings the store to another place, durably; a store that is there is replaced.
    ///
    /// - Parameter aside: where a store that is a folder, which no rename replaces, is put.
    /// - Throws: where it cannot be brought: all is as it was then; or where that cannot be made
    ///   durable: then it is brought.
    func move(to place: StoreFileSet, puttingAside aside: URL) throws(FileFailure) {
        let isFolder = place.main.isThere && (place.main.isFolder || main.isFolder)
        try move(to: place) { () throws(FileFailure) in
            if isFolder { try Self.rename(place.main, aside) }
            do throws(FileFailure) {
                try Self.rename(main, place.main)
            } catch {
                if isFolder { try Self.rename(aside, place.main) }
                throw error
            }
        }
    }

    private func move(
        to place: StoreFileSet, _ rename: () throws(FileFailure) -> Void
    ) throws(FileFailure) {
        try synchronize()
        let made = try linkData(to: place)
        do throws(FileFailure) {
            try rename()
        } catch {
            Self.remove(made)
            throw error
        }
        try PosixFile.syncFolder(place.folder)
    }

    private static func rename(_ from: URL, _ to: URL) throws(FileFailure) {
        guard Foundation.rename(from.path, to.path) == 0 else {
            throw FileFailure(operation: "rename", path: to.path, code: errno)
        }
    }

    /// Makes everything durable that is there.
    private func synchronize() throws(FileFailure) {
        for url in [main] + data where url.isThere { try FileTree(url).synchronize() }
    }

    /// Brings the companions that are there to the places of another store's, whose own stay.
    ///
    /// - Returns: what was made there, to be removed where a later step fails.
    /// - Throws: where one cannot be brought; nothing was made then.
    func linkData(to other: StoreFileSet) throws(FileFailure) -> [URL] {
        var made: [URL] = []
        do throws(FileFailure) {
            for (from, to) in zip(data, other.data) where from.isThere {
                try FileTree(from).link(to: to, noting: &made)
            }
            if !made.isEmpty { try PosixFile.syncFolder(other.folder) }
        } catch {
            Self.remove(made)
            throw error
        }
        return made
    }

    /// Removes what of the companions another store does not have that was moved here.
    ///
    /// - Parameter place: where the other store's files are by now; `other`, where they were.
    func removeData(notIn other: StoreFileSet, at place: StoreFileSet) {
        let names = zip(place.data, other.data).map { ($0, FileTree($1).names) }
        let kept = Dictionary(names) { first, _ in first }
        for url in data where url.isThere { FileTree(url).remove(notIn: kept[url] ?? []) }
    }

    /// Removes the companions.
    ///
    /// - Throws: what the system says of the first that cannot be removed.
    func removeCompanions() throws(FileFailure) {
        for url in data + scratch where url.isThere { try FileTree(url).remove() }
    }

    /// The length of the main file, or of all that a folder holds.
    ///
    /// - Throws: `.fileFailure`.
    var mainByteCount: Int64 {
        get throws(StoreError) { Int64(try main.byteCount()) }
    }

    var folder: String { main.deletingLastPathComponent().path }

    /// Removes files and empty folders, the last ones first.
    static func remove(_ made: [URL]) {
        for url in made.reversed() where unlink(url.path) != 0 { rmdir(url.path) }
    }
}

extension URL {
    /// Whether a file, a folder or a link is there.
    var isThere: Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Whether a folder is there, links followed.
    var isFolder: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
