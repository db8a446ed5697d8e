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

    private static let temporaryMark = ".cairn-new-"

    /// Plans the tables, without creating any file.
    ///
    /// - Throws: `.unsupported` for a configuration that the model does not have, and for an entity whose
    ///   table would have too many columns.
    init(_ files: SQLiteFiles, _ request: OpenRequest) throws(StoreError) {
        let entities: StoreEntities
        do throws(ModelError) {
            entities = try StoreEntities(
                creating: request.model, configuration: request.configuration)
        } catch {
            throw .unsupported(
                files.location, feature: "a configuration that the model does not have",
                advice: "\(error)")
        }
        self.files = files
        self.request = request
        map = SchemaMap(creating: entities, layouts: request.layouts)
        try SchemaBuilder(map: map).requireColumnsWithinLimit(at: files.location)
    }

    /// Creates the store. Has no effect if another process has created it meanwhile.
    ///
    /// - Precondition: The caller holds the writer lock.
    /// - Throws: `.fileFailure` or `.engineFailure`.
    func run() throws(StoreError) {
        Self.removeLeftovers(of: files)
        let temporary = files.path + Self.temporaryMark + UUID().uuidString
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
        let prefix = files.url.lastPathComponent + temporaryMark
        let leftovers = PosixFile.leftovers(in: files.folder, prefix: prefix) { suffix in
            // Do not remove the files of a store whose own name contains the mark.
            UUID(uuidString: String(suffix.prefix(36))) != nil
        }
        for path in leftovers { unlink(path) }
    }

    private func onFile(_ body: () throws(FileFailure) -> Void) throws(StoreError) {
        do throws(FileFailure) {
            try body()
        } catch {
            throw .fileFailure(error)
        }
    }
}
