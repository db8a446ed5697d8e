import CairnModel
import CairnStore

/// The connection that saves, and what its triggers report.
struct SQLiteWriter: @unchecked Sendable {
    // Unchecked: only the save that holds the writer lock has it; the store hands it over under
    // a mutex.
    let connection: SQLiteConnection
    let computedRows: ComputedRows
}

/// The steps from a request to an open store.
struct StoreOpening {
    let request: OpenRequest
    let files: StoreFiles
    let options: SQLiteOptions
    let session: FileSession
    let map: SchemaMap
    let number: StoreNumber
    let derivedAttributes: DerivedAttributes
    let history: HistoryTables?
    /// nil in a read-only store.
    let writer: SQLiteWriter?

    var connections: StoreConnections { StoreConnections(files: files, options: options) }

    /// - Throws: as ``CairnStore/PersistentStore/open(_:)``.
    init(_ request: OpenRequest) throws(StoreError) {
        self.request = request
        options = try SQLiteOptions(request.options)
        files = try StoreFiles(request.location)
        try Self.createIfMissing(files, request, options)
        try FileSniffer(files: files).requireDatabase()
        session = try FileSession(files)
        let connections = StoreConnections(files: files, options: options)
        // Others wait with their saves while the file may change its journal mode.
        let lock = request.isReadOnly ? nil : try WriterLock(of: files, timeout: options.timeout)
        let connection =
            request.isReadOnly ? try connections.reader() : try connections.plainWriter()
        let inspection = try StoreInspection(connection)
        let metadata = try inspection.metadata()
        map = try inspection.map(request, metadata)
        history = HistoryTables(inspection.catalog)
        derivedAttributes =
            request.isReadOnly
            ? .none
            : try map.computedAttributes(
                triggers: try inspection.triggers(), at: request.location)
        number = StoreDirectory.shared.number(
            identifier: metadata.identifier, location: request.location, model: request.model)
        writer = lock == nil ? nil : try connections.prepare(connection)
    }

    private static func createIfMissing(
        _ files: StoreFiles, _ request: OpenRequest, _ options: SQLiteOptions
    ) throws(StoreError) {
        guard !files.exists else { return }
        guard request.createsMissing, !request.isReadOnly else { throw .notFound(files.location) }
        try files.location.requireFolder()
        // Before a file is made that could not be saved to.
        _ = try DerivedAttributes(request.model, at: request.location)
        let lock = try WriterLock(of: files, timeout: options.timeout)
        defer { withExtendedLifetime(lock) {} }
        if !files.exists { try StoreCreation(files: files, request: request).run() }
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
