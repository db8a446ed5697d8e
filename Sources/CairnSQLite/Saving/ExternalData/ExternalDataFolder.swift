import CairnFiles
import CairnRows
import CairnSQL
import CairnStore
import Foundation

/// The folders with the files that hold a store's large values. They are next to the store.
///
/// As in Core Data, the path of a file is `.<name of the store without its
/// extension>_SUPPORT/_EXTERNAL_DATA/<UUID>`. Stores whose names differ only in their extensions
/// would have that folder in common. Therefore, while there is such a neighbour, new files go to a
/// folder that is named after the whole name of the store: `.<name>_FILES/_EXTERNAL_DATA/<UUID>`.
/// Reading looks in both, because a neighbour can come and go.
struct ExternalDataFolder: Sendable {
    /// The path of the store's main file.
    let storePath: String

    init(besideFileAt storePath: String) { self.storePath = storePath }

    // The URLs are computed on each access, because few stores have large values.

    /// The folder with Core Data's name.
    var url: URL { Self.content(of: support) }
    /// The folder that only this store uses.
    var own: URL { Self.content(of: ownSupport) }
    /// The parent folder of ``url``, which contains only that folder.
    var support: URL { parent(named: store.deletingPathExtension().lastPathComponent + "_SUPPORT") }
    /// The parent folder of ``own``, which contains only that folder.
    var ownSupport: URL { parent(named: store.lastPathComponent + "_FILES") }

    private var store: URL { URL(fileURLWithPath: storePath) }

    private func parent(named name: String) -> URL {
        store.deletingLastPathComponent().appending(path: ".\(name)", directoryHint: .isDirectory)
    }

    /// Returns the folder with the files in a parent folder.
    static func content(of support: URL) -> URL {
        support.appending(path: "_EXTERNAL_DATA", directoryHint: .isDirectory)
    }

    // MARK: Reading

    /// Returns the paths at which the file of the value with the given name may be. Returns an
    /// empty array if the name is not a UUID, because a damaged store could use other names to
    /// refer to files outside the folders.
    func paths(ofFileNamed name: String) -> [String] {
        guard UUID(uuidString: name) != nil else { return [] }
        return [url, own].map { $0.appending(path: name).path }
    }

    /// Reads a value. Follows no symbolic link, neither at the path of the file nor instead of the
    /// folders: whoever gave away the store could let it lead to any file.
    ///
    /// - Throws: `.externalDataMissing` or `.fileFailure`.
    func read(_ reference: ExternalReference) throws(StoreError) -> Data {
        let paths = paths(ofFileNamed: reference.name)
        for path in paths {
            do {
                return try HeldFile(companion: path, of: storePath, O_RDONLY).readData()
            } catch {
                if error.code != ENOENT { throw .fileFailure(error) }
            }
        }
        throw .externalDataMissing(reference, path: paths.first ?? url.path)
    }

    /// Returns the length of a file, or 0 if there is no such file.
    func byteCount(ofFileNamed name: String) -> Int64 {
        var status = stat()
        let path = paths(ofFileNamed: name).first { lstat($0, &status) == 0 }
        return path == nil ? 0 : Int64(status.st_size)
    }

    /// Returns the sorted names of the files in one of the folders, or an empty array if it does not exist.
    /// Follows no symbolic link.
    ///
    /// - Throws: `.fileFailure`.
    func names(in folder: URL) throws(StoreError) -> [String] {
        do {
            return try HeldFile(companion: folder.path, of: storePath, O_RDONLY | O_DIRECTORY)
                .names().sorted()
        } catch {
            if error.code == ENOENT || error.code == ENOTDIR { return [] }
            throw .fileFailure(error)
        }
    }

    // MARK: Neighbours

    /// Returns the other SQLite databases whose large values have the same folder in Core Data. A
    /// file that cannot be read counts as one.
    ///
    /// - Parameter leaving: The path of a store that does not count, because it is being moved.
    func neighbours(except leaving: String? = nil) -> [URL] {
        let stem = store.deletingPathExtension().lastPathComponent
        return PosixFile.leftovers(in: storePath.pathParts.folder, prefix: stem) { _ in true }
            .filter { $0 != storePath && $0 != leaving }
            .map { URL(fileURLWithPath: $0) }
            .filter { neighbour in
                neighbour.deletingPathExtension().lastPathComponent == stem
                    && Self.mayBeDatabase(neighbour)
            }
    }

    private static func mayBeDatabase(_ url: URL) -> Bool {
        var status = stat()
        // The files of a link are next to the file that the link leads to.
        guard lstat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return false
        }
        do {
            try FileSniffer(files: SQLiteFiles(.file(url))).requireDatabase()
            return true
        } catch .notAStore, .notFound {
            return false
        } catch {
            // This may be the lock of another user's store.
            return CompanionName.store(owning: url.lastPathComponent) == nil
        }
    }

    /// Removes files that no row of this store names any more. A file in the common folder is kept
    /// if a row of a neighbour may name it, which is the case after a copy that another program
    /// made.
    func remove(_ names: some Collection<String>) {
        guard !names.isEmpty else { return }
        let kept = namesOfNeighbours()
        for name in names where UUID(uuidString: name) != nil {
            PosixFile.removeCompanion(own.appending(path: name).path, of: storePath)
            if let kept, !kept.contains(name) {
                PosixFile.removeCompanion(url.appending(path: name).path, of: storePath)
            }
        }
    }

    // MARK: Names in rows

    /// Returns the names of files in the common folder that the rows of neighbours refer to. Returns
    /// `nil` if one of the neighbours cannot be read.
    func namesOfNeighbours(except leaving: String? = nil) -> Set<String>? {
        var names: Set<String> = []
        for neighbour in neighbours(except: leaving) {
            do {
                let found = try StoreInspection.look(at: .file(neighbour)) {
                    (store) throws(StoreError) in try Self.names(in: store.connection)
                }
                let own = ExternalDataFolder(besideFileAt: neighbour.path).own
                names.formUnion(
                    found.filter { access(own.appending(path: $0).path, F_OK) != 0 })
            } catch .notAStore {
                // A database of another program has no large values.
            } catch {
                return nil
            }
        }
        return names
    }

    /// Returns the names of files in a store's rows. Needs no model: every value that has the form
    /// of a file's name counts, in whichever column of bytes it is.
    ///
    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    static func names(in connection: SQLiteConnection) throws(StoreError) -> Set<String> {
        var names: Set<String> = []
        let columns = try SQLiteStatement(
            "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c"
                + " WHERE m.type = 'table' AND m.rootpage > 0 AND upper(c.type) = 'BLOB'",
            on: connection)
        while try columns.step() {
            guard let table = columns.text(at: 0), let column = columns.text(at: 1) else {
                continue
            }
            let value = SQLName(column).quoted
            let select = try SQLiteStatement(
                "SELECT \(value) FROM \(SQLName(table).quoted) WHERE typeof(\(value)) = 'blob'"
                    + " AND length(\(value)) = \(storedByteCount)"
                    + " AND substr(\(value), 1, 1) = x'02'", on: connection)
            while try select.step() {
                if let name = ExternalDataWriter.name(in: select.bytes(at: 0)) {
                    names.insert(name)
                }
            }
        }
        return names
    }

    /// The length of a column value that names a file: a byte, a UUID and a byte.
    private static let storedByteCount = 38
}

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

    /// Lists the files during a save, so that no other save can be about to refer to one of them.
    ///
    /// While another store uses the common folder, the files of that folder are left: its program may be
    /// saving, too.
    ///
    /// - Throws: The errors of ``unnamedFiles()`` and of `beginSave()`.
    package func removeUnnamedFiles() throws(StoreError) -> [URL] {
        guard let save = try beginSave() as? SQLiteSaveTransaction else { return [] }
        defer { save.rollback() }
        let folder = files.externalData
        let isShared = !folder.neighbours().isEmpty
        let removable = try unnamedFiles().filter { file in
            UUID(uuidString: file.lastPathComponent) != nil
                && (!isShared || file.deletingLastPathComponent().path == folder.own.path)
        }
        guard !removable.isEmpty else { return [] }
        return try save.removeFiles(Set(removable.map(\.lastPathComponent))) ? removable : []
    }
}
