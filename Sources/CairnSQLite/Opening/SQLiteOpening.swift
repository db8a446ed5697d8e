import CairnEngineKit
import CairnModel
import CairnStore
import CairnThreads
import Foundation

/// Opens a store, step by step.
struct SQLiteOpening {
    let request: OpenRequest
    let files: SQLiteFiles
    let options: SQLiteOptions
    let session: FileSession
    let map: SchemaMap
    let number: StoreNumber
    let derivedAttributes: DerivedAttributes
    let history: HistoryTables.Known
    /// The store's metadata, as of the state for which the observer returned `dataVersion`.
    let metadata: StoreMetadata
    let observer: StoreObserver
    let dataVersion: Int64
    /// The connection that inspected the store. The first snapshot uses it.
    let reader: SQLiteConnection
    /// The connection that changed the journal mode. `nil` if the store already was in write-ahead
    /// mode, or if it is read-only.
    let writer: SQLiteWriter?

    var connections: StoreConnections { StoreConnections(session: session, options: options) }

    /// - Throws: The errors of ``CairnStore/PersistentStore/open(_:)``.
    init(_ request: OpenRequest) throws(StoreError) {
        self.request = request
        options = try SQLiteOptions(request.options)
        files = try SQLiteFiles(request.location)
        let deadline = StoreDeadline.limiting(.now + options.timeout)
        try Self.createIfMissing(files, request, options, until: deadline)
        try FileSniffer(files: files).requireDatabase()
        session = try FileSession(files)
        let connections = StoreConnections(
            session: session, options: options, deadline: deadline)
        // Other saves must wait, because this may change the file's journal mode.
        let lock =
            request.isReadOnly
            ? nil
            : try WriterLock(of: session, timeout: options.timeout, until: deadline)
        defer { withExtendedLifetime(lock) {} }
        if lock != nil { try Self.requireOnlyName(session) }
        let historyWriter =
            if let lock, options.tracksHistory {
                try Self.beginHistory(request, connections, lock)
            } else { nil as SQLiteWriter? }
        observer = try connections.observer(mayWrite: !request.isReadOnly)
        dataVersion = try observer.dataVersion
        reader = try connections.reader()
        // All of the inspection sees the same state, and takes only one lock.
        try reader.execute("BEGIN")
        let inspection = try StoreInspection(reader)
        metadata = try inspection.metadata()
        map = try inspection.map(request, metadata)
        history = HistoryTables.Known(
            tables: HistoryTables(inspection.catalog), schemaVersion: try reader.schemaVersion)
        derivedAttributes =
            request.isReadOnly
            ? .none
            : try map.computedAttributes(
                triggers: try inspection.triggers(), at: request.location)
        number = StoreDirectory.shared.number(
            identifier: metadata.identifier, location: request.location, model: request.model)
        let hasLog = try reader.hasWriteAheadLog
        _ = reader.endRead()
        // A store with a rollback journal changes its mode now rather than at the first save.
        writer =
            if let historyWriter { historyWriter } else if let lock, !hasLog {
                try connections.writer(lock)
            } else { nil }
        if hasLog, let lock { try session.noteLog(lock) }
        for connection in [observer.connection, reader] { connection.lockWait.deadline = nil }
    }

    /// Checks that the file has only one name. Temporary names left by a process that was killed
    /// while it created the store are removed first.
    ///
    /// - Precondition: The caller holds the writer lock.
    /// - Throws: `.hardLinked`, `.fileRemoved`, `.fileReplaced` or `.fileFailure`.
    private static func requireOnlyName(_ session: FileSession) throws(StoreError) {
        do {
            try session.main.requireOnlyName(of: session.files.location)
        } catch .hardLinked {
            SQLiteCreation.removeLeftovers(of: session.files)
            try session.main.requireOnlyName(of: session.files.location)
        }
    }

    /// Creates the tables of the history, unless the store has them.
    ///
    /// - Returns: The connection that created them, or `nil` if nothing was created.
    private static func beginHistory(
        _ request: OpenRequest, _ connections: StoreConnections, _ lock: WriterLock
    ) throws(StoreError) -> SQLiteWriter? {
        let reader = try connections.reader()
        let inspection = try StoreInspection(reader)
        guard HistoryTables(inspection.catalog) == nil else { return nil }
        // Refuses a store of another model before it is changed.
        let entities = try inspection.map(request, try inspection.metadata()).entities
        reader.close()
        let writer = try connections.writer(lock)
        try writer.connection.execute("BEGIN IMMEDIATE")
        try HistoryTables.create(on: writer.connection, for: entities)
        try writer.connection.execute("COMMIT")
        return writer
    }

    private static func createIfMissing(
        _ files: SQLiteFiles, _ request: OpenRequest, _ options: SQLiteOptions,
        until deadline: ContinuousClock.Instant
    ) throws(StoreError) {
        guard !files.exists else { return }
        guard request.createsMissing, !request.isReadOnly else { throw .notFound(files.location) }
        try files.location.requireFolder()
        try SQLiteCreation.requirePathLength(files)
        // Check this first, so that no file is created that could not be saved to.
        _ = try DerivedAttributes(request.model, at: request.location)
        let creation = try SQLiteCreation(
            files, request, tracksHistory: options.tracksHistory)
        let lock = try WriterLock(of: files, timeout: options.timeout, until: deadline)
        defer { withExtendedLifetime(lock) {} }
        guard !files.exists else { return }
        try requireNoLog(files)
        try creation.run()
    }

    /// Checks that no log of an earlier store is left. SQLite would take it for the log of the new
    /// store and write its pages into the new file.
    ///
    /// - Throws: `.unsupported` with advice; `.fileFailure` if a log cannot be opened or is a
    ///   symbolic link.
    private static func requireNoLog(_ files: SQLiteFiles) throws(StoreError) {
        try files.requireLogs(mayWrite: true)
        for log in [files.journal, files.rollbackJournal] {
            var status = stat()
            guard stat(log, &status) == 0, status.st_size > 0 else { continue }
            throw .unsupported(
                files.location, feature: "a log, \(log), but no file",
                advice:
                    "The log may contain saves of a store that was moved. Move the store's file back,"
                    + " or remove the log.")
        }
    }
}

extension SchemaMap {
    /// Returns the store's derived attributes that no trigger maintains.
    ///
    /// - Throws: `.unsupported` if an expression cannot be computed.
    fileprivate func computedAttributes(
        triggers: Set<String>, at location: StoreLocation
    ) throws(StoreError) -> DerivedAttributes {
        try DerivedAttributes(model, at: location) { attribute in
            guard attribute.isDerived, column(of: attribute) != nil else { return false }
            let mark = "_\(attribute.entity.name)_\(attribute.name)_"
            return !triggers.contains { $0.hasPrefix("Z_DA_") && $0.contains(mark) }
        }
    }
}
