import CairnFiles
import CairnModel
import CairnStore
import Foundation

/// Finds, creates, checks and opens a store.
struct LMDBOpening {
    private let request: OpenRequest
    private let options: LMDBOptions

    init(_ request: OpenRequest, _ options: LMDBOptions) {
        self.request = request
        self.options = options
    }

    // MARK: Without a model

    /// Returns whether the file is an LMDB file with Cairn's metadata table.
    static func isStore(_ url: URL) -> Bool {
        let path = url.followingLinks.path
        guard let file = try? FileCheck(path: path, location: .file(url)) else { return false }
        return file.firstTableName() == TableName.metadata
    }

    /// Reads a store's metadata table.
    static func read<Result>(
        _ location: StoreLocation,
        _ body: (StoreRecord) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let url = try fileURL(of: location)
        let use = try LMDBRegistry.shared.use(url, LMDBOptions().environment)
        return try use.environment.openTables { transaction throws(StoreError) in
            try body(try record(transaction))
        }
    }

    /// - Throws: `.unsupported` if the location is not a file.
    static func fileURL(of location: StoreLocation) throws(StoreError) -> URL {
        guard let url = location.fileURL else {
            throw .unsupported(
                location, feature: "no file", advice: "Pass the URL of a file for an LMDB store.")
        }
        return url
    }

    private static func record(
        _ transaction: LMDBTransaction
    ) throws(StoreError) -> StoreRecord {
        guard let table = try transaction.table(TableName.metadata, .bytes) else {
            throw .notAStore(
                transaction.location, expected: LMDBStore.type,
                found: "an LMDB file of another program")
        }
        let record = StoreRecord(transaction: transaction, table: table)
        try record.checkFormat()
        return record
    }

    // MARK: With a model

    /// Returns the right to use the file, and the store's metadata. Creates the file if it is
    /// missing and the request allows that.
    func use() throws(StoreError) -> (LMDBEnvironmentUse, StoreMetadata) {
        let url = try Self.fileURL(of: request.location)
        // Do this even if the store exists: a process that was killed right after it created the
        // store
        // has left its folder next to it.
        if !request.isReadOnly { LMDBCreation.removeLeftovers(of: RealPath.of(url.path)) }
        let use: LMDBEnvironmentUse
        do {
            use = try LMDBRegistry.shared.use(url, options.environment)
        } catch {
            if case .fileFailure(let failure) = error, failure.code == ENAMETOOLONG {
                try request.location.requireShortName()
            }
            guard case .notFound = error, request.createsMissing, !request.isReadOnly else {
                throw error
            }
            try request.location.requireFolder()
            try LMDBCreation(at: url.followingLinks, request, options).create()
            use = try LMDBRegistry.shared.use(url, options.environment)
        }
        if !request.isReadOnly {
            try OpenedFile(at: url.path, use.environment.identity)
                .requireOnlyName(of: request.location)
        }
        let metadata = try use.environment.openTables { transaction throws(StoreError) in
            let record = try Self.record(transaction)
            let metadata = try record.metadata()
            try CompatibilityCheck(
                request: request, stored: metadata.entityVersionHashes,
                cachedModel: try? record.model()
            ).run()
            return metadata
        }
        return (use, metadata)
    }

    /// Opens the store's tables, and creates missing indexes that the model asks for, and a missing
    /// history that the request asks for.
    func tables(_ environment: LMDBEnvironment) throws(StoreError) -> StoreTables {
        let layouts = request.layouts
        let tables = try environment.openTables { transaction throws(StoreError) in
            try StoreTablesBuilder(request, transaction, makes: .none).build()
        }
        let missing = request.model.entities.flatMap(\.ownAttributes).filter {
            $0.wantsIndex && layouts.kind(of: $0).map(IndexKey.encodes) == true
                && tables.tables(of: $0.entity.number) != nil && tables.index(of: $0) == nil
        }
        let lacksHistory = options.tracksHistory && tables.history == nil
        // Without these indexes, fetches are slower but equally correct.
        if missing.isEmpty && !lacksHistory || request.isReadOnly || environment.isReadOnly {
            return tables
        }
        return try IndexMaker(request, options).make(missing, environment)
    }
}

extension Entity {
    /// The attributes that the entity itself declares.
    fileprivate var ownAttributes: [Attribute] {
        ownProperties.compactMap { if case .attribute(let it) = $0 { it } else { nil } }
    }
}
