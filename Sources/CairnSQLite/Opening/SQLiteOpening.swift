import CairnModel
import CairnStore
import CairnThreads
import Foundation

/// The steps from a request to an open store.
struct SQLiteOpening {
    let request: OpenRequest
    let files: SQLiteFiles
    let options: SQLiteOptions
    let session: FileSession
    let map: SchemaMap
    let number: StoreNumber
    let derivedAttributes: DerivedAttributes
    let history: HistoryTables?
    /// What the store says of itself in the state of which the observer said `dataVersion`.
    let metadata: StoreMetadata
    let observer: StoreObserver
    let dataVersion: Int64
    /// The connection that looked at the store, for the first snapshot.
    let reader: SQLiteConnection
    /// The connection that changed the journal mode. `nil` if the store was in write-ahead mode, or
    /// is read-only.
    let writer: SQLiteWriter?

    var connections: StoreConnections { StoreConnections(session: session, options: options) }

    /// - Throws: as ``CairnStore/PersistentStore/open(_:)``.
    init(_ request: OpenRequest) throws(StoreError) {
        self.request = request
        options = try SQLiteOptions(request.options)
        files = try SQLiteFiles(request.location)
        try Self.createIfMissing(files, request, options)
        try FileSniffer(files: files).requireDatabase()
        session = try FileSession(files)
        let connections = StoreConnections(session: session, options: options)
        // Others wait with their saves while the file may change its journal mode.
        let lock =
            request.isReadOnly
            ? nil
            : try WriterLock(of: session, timeout: options.timeout)
        defer { withExtendedLifetime(lock) {} }
        if lock != nil { try Self.requireOnlyName(session) }
        observer = try connections.observer(mayWrite: !request.isReadOnly)
        dataVersion = try observer.dataVersion
        reader = try connections.reader()
        // One state for all questions, and one lock.
        try reader.execute("BEGIN")
        let inspection = try StoreInspection(reader)
        metadata = try inspection.metadata()
        map = try inspection.map(request, metadata)
        history = HistoryTables(inspection.catalog)
        derivedAttributes =
            request.isReadOnly
            ? .none
            : try map.computedAttributes(
                triggers: try inspection.triggers(), at: request.location)
        number = StoreDirectory.shared.number(
            identifier: metadata.identifier, location: request.location, model: request.model)
        let hasLog = try reader.hasWriteAheadLog
        _ = reader.endRead()
        // A store with a rollback journal changes its mode now, not with the first save.
        writer =
            if let lock, !hasLog { try connections.writer(lock) } else { nil }
        if hasLog, let lock { try session.noteLog(lock) }
    }

    /// Checks that the file has one name, apart from temporary names that a process left which was
    /// killed while it created the store.
    ///
    /// - Precondition: the writer lock is held.
    /// - Throws: `.hardLinked`, `.fileRemoved`, `.fileReplaced`, `.fileFailure`.
    private static func requireOnlyName(_ session: FileSession) throws(StoreError) {
        do throws(StoreError) {
            try session.main.requireOnlyName(of: session.files.location)
        } catch .hardLinked {
            SQLiteCreation.removeLeftovers(of: session.files)
            try session.main.requireOnlyName(of: session.files.location)
        }
    }

    private static func createIfMissing(
        _ files: SQLiteFiles, _ request: OpenRequest, _ options: SQLiteOptions
    ) throws(StoreError) {
        guard !files.exists else { return }
        guard request.createsMissing, !request.isReadOnly else { throw .notFound(files.location) }
        try files.location.requireFolder()
        // Before a file is made that could not be saved to.
        _ = try DerivedAttributes(request.model, at: request.location)
        let lock = try WriterLock(of: files, timeout: options.timeout)
        defer { withExtendedLifetime(lock) {} }
        guard !files.exists else { return }
        try requireNoLog(files)
        try SQLiteCreation(files: files, request: request).run()
    }

    /// Checks that there is no log of a store that is gone: SQLite would take it for one of the new
    /// store and write it into the new file.
    ///
    /// - Throws: `.unsupported`, which says what to do.
    private static func requireNoLog(_ files: SQLiteFiles) throws(StoreError) {
        for log in [files.journal, files.rollbackJournal] {
            var status = stat()
            guard stat(log, &status) == 0, status.st_size > 0 else { continue }
            throw .unsupported(
                files.location, feature: "a log, \(log), and no file",
                advice: "The log may hold saves of a store that was moved: bring that store's file"
                    + " back, or remove the log.")
        }
    }
}

extension SchemaMap {
    /// The derived attributes of a store that no trigger of it keeps.
    ///
    /// - Throws: `.unsupported`, for one whose expression cannot be computed.
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
