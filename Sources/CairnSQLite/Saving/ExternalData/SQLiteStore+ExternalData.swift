import CairnStore
import Foundation

extension SQLiteStore: ExternalDataStore {
    /// Returns the folder with Core Data's name, if another SQLite store differs from this one only
    /// in its extension.
    package static func sharedFolder(
        of location: StoreLocation, except leaving: URL?
    ) -> (shared: URL, own: URL)? {
        guard let folder = try? SQLiteFiles(location).externalData,
            !folder.neighbours(except: leaving?.path).isEmpty
        else { return nil }
        return (folder.support, folder.ownSupport)
    }

    /// Reads every value that may name a file.
    ///
    /// - Throws: The errors of ``CairnStore/ExternalDataStore/externalNames(at:)``.
    package static func externalNames(
        at location: StoreLocation
    ) throws(StoreError) -> (all: Set<String>, removable: Set<String>) {
        let files = try SQLiteFiles(location)
        // No one else uses the file, and during exclusive use it is locked against SQLite's locks.
        let mode = files.journalByteCount > 0 ? SQLiteConnection.Mode.unlocked : .immutable
        let connection = try SQLiteConnection(
            path: files.path, mode: mode, location: location, readsRows: false)
        defer { connection.close() }
        if mode == .unlocked { try connection.execute("PRAGMA locking_mode = EXCLUSIVE") }
        let names = try ExternalDataFolder.names(in: connection)
        guard let others = files.externalData.namesOfNeighbours() else { return (names, []) }
        return (names, names.subtracting(others))
    }

    /// Lists the two folders of large values, and leaves out what the rows of this store and its
    /// neighbours name. If a neighbour cannot be read, only lists the folder that the store has for
    /// itself.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.busy`, `.fileFailure` or `.engineFailure`.
    package func unnamedFiles() throws(StoreError) -> [URL] {
        let folder = files.externalData
        // Files are listed first: a file that a save writes afterwards is in no list.
        let (common, own) = (try folder.names(in: folder.url), try folder.names(in: folder.own))
        guard !common.isEmpty || !own.isEmpty else { return [] }
        let named = try readers.checkOut().withConnection { (connection) throws(StoreError) in
            try ExternalDataFolder.names(in: connection)
        }
        let others = folder.namesOfNeighbours()
        let unnamed = others.map { others in
            common.filter { !named.contains($0) && !others.contains($0) }
        }
        return (unnamed ?? []).map { folder.url.appending(path: $0) }
            + own.filter { !named.contains($0) }.map { folder.own.appending(path: $0) }
    }
}
