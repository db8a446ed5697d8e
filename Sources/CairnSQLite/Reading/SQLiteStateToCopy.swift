import CairnFiles
import CairnStore
import Foundation

/// A state of a SQLite store, held by a read transaction. SQLite copies its pages.
///
/// Files of large values are not removed while a transaction of any process reads a state that names them.
final class SQLiteStateToCopy: StateToCopy {
    private let reader: SQLiteReader
    private let store: SQLiteStore

    init(_ reader: SQLiteReader, of store: SQLiteStore) {
        self.reader = reader
        self.store = store
    }

    deinit { reader.end() }

    var byteCount: Int64 {
        let pages = try? reader.withConnection { connection throws(StoreError) in
            try connection.pageByteCount() * connection.pageCount()
        }
        let files = (try? filesInFolders())?.map(store.files.externalData.byteCount(ofFileNamed:))
        return (pages ?? 0) + (files ?? []).reduce(0, +)
    }

    func write(
        to location: StoreLocation, reporting report: (Int64) throws(StoreError) -> Void
    ) throws(StoreError) {
        let files = try SQLiteFiles(location)
        // If SQLite created the file, everybody could read it.
        try StoreError.onFiles(try PosixFile.write(Data(), toNew: files.path))
        do {
            let done = try writePages(to: files, report)
            try writeExternalData(to: files.externalData, after: done, report)
        } catch {
            unlink(files.path)
            try? FileManager.default.removeItem(at: files.externalData.support)
            throw error
        }
    }

    private func writePages(
        to files: SQLiteFiles, _ report: (Int64) throws(StoreError) -> Void
    ) throws(StoreError) -> Int64 {
        let copy = try SQLiteConnection(
            path: files.path, mode: .readWrite, location: files.location, readsRows: false)
        defer { copy.close() }
        // No other process knows this file, and it is removed if writing it fails.
        try copy.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        return try reader.withConnection { connection throws(StoreError) in
            let pageByteCount = try connection.pageByteCount()
            var done: Int64 = 0
            try connection.copyPages(to: copy) { pageCount throws(StoreError) in
                // Closing the store waits for this connection.
                if store.isClosed { throw .closed(store.request.location) }
                done = pageCount * pageByteCount
                try report(done)
            }
            return done
        }
    }

    // MARK: Large values

    private func filesInFolders() throws(StoreError) -> Set<String> {
        let folder = store.files.externalData
        return Set(try folder.names(in: folder.url) + folder.names(in: folder.own))
    }

    /// Copies the files that the state's rows name. A file that is missing from the store is missing from the
    /// copy.
    private func writeExternalData(
        to target: ExternalDataFolder, after byteCount: Int64,
        _ report: (Int64) throws(StoreError) -> Void
    ) throws(StoreError) {
        let found = try filesInFolders()
        guard !found.isEmpty else { return }
        let named = try reader.withConnection { connection throws(StoreError) in
            try ExternalDataFolder.names(in: connection)
        }
        let folder = store.files.externalData
        var done = byteCount
        for name in found.intersection(named).sorted() {
            if store.isClosed { throw .closed(store.request.location) }
            try target.copyFile(named: name, from: folder)
            done += folder.byteCount(ofFileNamed: name)
            try report(done)
        }
    }
}

extension ExternalDataFolder {
    /// Copies a file from the folders of another store to the folder with Core Data's name.
    ///
    /// - Throws: `.fileFailure`.
    fileprivate func copyFile(named name: String, from other: ExternalDataFolder) throws(StoreError)
    {
        guard let path = other.paths(ofFileNamed: name).first(where: { access($0, F_OK) == 0 })
        else { return }
        for folder in [support, url] where mkdir(folder.path, 0o700) != 0 && errno != EEXIST {
            throw .fileFailure(PosixFile.failure("mkdir", folder.path))
        }
        try StoreError.onFiles(
            try PosixFile.copy(path, toNew: url.appending(path: name).path, synchronizes: false))
    }
}
