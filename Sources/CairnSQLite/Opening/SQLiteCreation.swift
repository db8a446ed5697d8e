import CairnFiles
import CairnModel
import CairnStore
import Foundation

/// Creates a new store atomically.
///
/// The store is built under a temporary name, made durable, and then renamed. Therefore neither a
/// crash nor a second process can ever see a partial store.
struct SQLiteCreation {
    private let files: SQLiteFiles
    private let request: OpenRequest
    private let map: SchemaMap
    private let tracksHistory: Bool

    private static func temporaryPrefix(of files: SQLiteFiles) -> String {
        TemporaryName.stem(of: files.url.lastPathComponent) + ".cairn-new-"
    }

    /// The greatest length of a path in bytes that SQLite opens: `MAX_PATHNAME` in os_unix.c, less the
    /// longest ending, `-journal`.
    private static let longestPath = 512 - 8

    /// Checks that SQLite can open the store and the temporary file from which it is made.
    ///
    /// - Throws: `.unsupported`.
    static func requirePathLength(_ files: SQLiteFiles) throws(StoreError) {
        let temporary = temporaryPrefix(of: files).utf8.count + UUID().uuidString.utf8.count
        let greatest = longestPath - max(temporary, files.path.pathParts.name.utf8.count) - 1
        let count = files.folder.utf8.count
        guard count > greatest else { return }
        throw .unsupported(
            files.location, feature: "a folder whose path has \(count) bytes",
            advice:
                "SQLite opens no longer paths, so the folder's path may have at most \(greatest) bytes."
                + " Create the store in another folder.")
    }

    /// Plans the tables, without creating any file.
    ///
    /// - Throws: `.unsupported` for a configuration that the model does not have, and for an entity whose
    ///   table would have too many columns.
    init(
        _ files: SQLiteFiles, _ request: OpenRequest, tracksHistory: Bool
    ) throws(StoreError) {
        let entities: StoreEntities
        do {
            entities = try StoreEntities(
                creating: request.model, configuration: request.configuration)
        } catch {
            throw .unsupported(
                files.location, feature: "a configuration that the model does not have",
                advice: "\(error)")
        }
        self.files = files
        self.request = request
        self.tracksHistory = tracksHistory
        map = SchemaMap(creating: entities, layouts: request.layouts)
        try SchemaBuilder(map: map).requireColumnsWithinLimit(at: files.location)
    }

    /// Creates the store. Has no effect if another process has created it meanwhile.
    ///
    /// - Precondition: The caller holds the writer lock.
    /// - Throws: `.fileFailure` or `.engineFailure`.
    func run() throws(StoreError) {
        Self.removeLeftovers(of: files)
        let temporary = files.folder + "/" + Self.temporaryPrefix(of: files) + UUID().uuidString
        defer { for suffix in ["", "-journal", "-wal", "-shm"] { unlink(temporary + suffix) } }
        // If SQLite created the file, everybody could read it.
        try onFile { () throws(FileFailure) in
            try PosixFile.write(Data(), toNew: temporary)
        }
        try build(temporary)
        try onFile { () throws(FileFailure) in
            try PosixFile.sync(temporary)
            // If another process has created a store meanwhile, that store is kept.
            _ = try PosixFile.publish(temporary, as: files.path)
            try PosixFile.syncFolder(files.folder)
        }
    }

    private func build(_ path: String) throws(StoreError) {
        let connection = try SQLiteConnection(
            path: path, mode: .readWrite, location: files.location)
        // These must come before the first table, because they cannot be changed later.
        try connection.execute("PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL")
        // No other process knows this file, and it is removed if building it fails.
        try connection.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
        try connection.execute("BEGIN")
        for statement in SchemaBuilder(map: map).statements() {
            try connection.execute(statement)
        }
        try PrimaryKeyTable(connection: connection).create(map.entities)
        if tracksHistory { try HistoryTables.create(on: connection, for: map.entities) }
        try MetadataTable(connection: connection)
            .create(identifier: request.identifierForNewStore, model: request.model)
        try ModelCacheTable(connection: connection).create(request.model)
        try connection.execute("COMMIT")
        try connection.enableWriteAheadLog()
        try connection.enableCleanupOnClose()
    }

    /// Removes the files of a process that was killed while it created the store.
    ///
    /// - Precondition: The caller holds the writer lock.
    static func removeLeftovers(of files: SQLiteFiles) {
        let prefix = temporaryPrefix(of: files)
        let leftovers = PosixFile.leftovers(in: files.folder, prefix: prefix) { suffix in
            // Do not remove the files of a store whose own name contains the mark.
            UUID(uuidString: String(suffix.prefix(36))) != nil
        }
        for path in leftovers { unlink(path) }
    }

    private func onFile(_ body: () throws(FileFailure) -> Void) throws(StoreError) {
        do {
            try body()
        } catch {
            throw .fileFailure(error)
        }
    }
}
