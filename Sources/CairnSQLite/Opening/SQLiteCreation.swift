import CairnFiles
import CairnModel
import CairnStore
import Foundation

/// Makes a new store: all of it, or nothing.
///
/// Built under another name, made durable, then given its own, so that neither a crash nor a
/// second process ever sees half of one.
struct SQLiteCreation {
    let files: SQLiteFiles
    let request: OpenRequest

    private static let temporaryMark = ".cairn-new-"

    /// Makes the store. Does nothing if another process made one meanwhile.
    ///
    /// - Precondition: the writer lock is held.
    /// - Throws: `.unsupported`, `.fileFailure`, `.engineFailure`.
    func run() throws(StoreError) {
        Self.removeLeftovers(of: files)
        let temporary = files.path + Self.temporaryMark + UUID().uuidString
        defer { for suffix in ["", "-journal", "-wal", "-shm"] { unlink(temporary + suffix) } }
        // SQLite would make it readable for everybody.
        try onFile { () throws(FileFailure) in
            try PosixFile.write(Data(), toNew: temporary)
        }
        try build(temporary)
        try onFile { () throws(FileFailure) in
            try PosixFile.sync(temporary)
            // A store that another process made meanwhile stays.
            _ = try PosixFile.publish(temporary, as: files.path)
            try PosixFile.syncFolder(files.folder)
        }
    }

    private func build(_ path: String) throws(StoreError) {
        let entities: StoreEntities
        do throws(ModelError) {
            entities = try StoreEntities(
                creating: request.model, configuration: request.configuration)
        } catch {
            throw .unsupported(
                files.location, feature: "a configuration that the model does not have",
                advice: "\(error)")
        }
        let connection = try SQLiteConnection(
            path: path, mode: .readWrite, location: files.location)
        // Before the first table: neither can be changed later.
        try connection.execute("PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL")
        // Nobody else knows the file, and a failed one is removed.
        try connection.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
        try connection.execute("BEGIN")
        let map = SchemaMap(creating: entities, layouts: request.layouts)
        for statement in SchemaBuilder(map: map).statements() {
            try connection.execute(statement)
        }
        try PrimaryKeyTable(connection: connection).create(entities)
        try MetadataTable(connection: connection)
            .create(identifier: request.identifierForNewStore, model: request.model)
        try ModelCacheTable(connection: connection).create(request.model)
        try connection.execute("COMMIT")
        try connection.usesWriteAheadLog()
        try connection.tidiesOnClose()
    }

    /// Removes the files of a process that was killed while it made the store.
    ///
    /// - Precondition: the writer lock is held.
    static func removeLeftovers(of files: SQLiteFiles) {
        let prefix = files.url.lastPathComponent + temporaryMark
        let leftovers = Leftovers.paths(in: files.folder, prefix: prefix) { suffix in
            // Files of a store that has the mark in its own name are not removed.
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
