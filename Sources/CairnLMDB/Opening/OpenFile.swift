import CairnFiles
import CairnStore

/// The file of an open store: a use of the file's LMDB environment, and the store's tables in that
/// environment.
///
/// This type is a class because every call on a store copies it out of the store's mutex, which costs only
/// one reference count.
final class OpenFile: Sendable {
    let use: LMDBEnvironmentUse
    let tables: StoreTables
    /// The open file and its path according to the store's location. Each check follows symbolic links again.
    private let name: OpenedFile
    private let location: StoreLocation

    /// - Throws: `.unsupported` if the location is not a file.
    init(
        _ use: LMDBEnvironmentUse, _ tables: StoreTables, at location: StoreLocation
    ) throws(StoreError) {
        self.use = use
        self.tables = tables
        self.location = location
        // Created only once, because computing a URL's path costs more than the check itself.
        name = OpenedFile(
            at: try LMDBOpening.fileURL(of: location).path, use.environment.identity)
    }

    /// Calls the body with a transaction that reads the newest state.
    func read<Result>(
        _ body: (LMDBTransaction) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let transaction = try use.environment.beginRead()
        return try use.environment.use { () throws(StoreError) in
            defer { transaction.abort() }
            return try body(transaction)
        }
    }

    /// Checks that the store's location still leads to the open file.
    func requireName() throws(StoreError) { try name.requireName(of: location) }

    /// Checks that the store's location still leads to the open file, and that the file has no other name.
    /// LMDB derives the lock file's name from the file's name, so a process that opens the file by another
    /// name would not notice this one.
    func requireOnlyName() throws(StoreError) { try name.requireOnlyName(of: location) }

    /// Returns the same file, opened again after a failure that made its environment unusable.
    ///
    /// The first of the file's stores that calls this method opens the file again. The other stores get the
    /// same environment.
    func reopened(
        for request: OpenRequest, _ options: LMDBOptions
    ) throws(StoreError) -> OpenFile {
        let url = try LMDBOpening.fileURL(of: request.location)
        let use = try LMDBRegistry.shared.use(url, options.environment, following: use)
        let tables = try use.environment.openTables { transaction throws(StoreError) in
            try StoreTablesBuilder(request, transaction, makes: .none).build()
        }
        return try OpenFile(use, tables, at: location)
    }

    /// Returns the file with all its current tables. Other processes may have added indexes.
    ///
    /// Needs no transaction if there are no new tables.
    ///
    /// - Precondition: The caller holds the file's write lock, so that no table is added meanwhile.
    func withNewestTables(for request: OpenRequest) throws(StoreError) -> OpenFile {
        if try use.environment.tableCount() == tables.fileTableCount { return self }
        let tables = try use.environment.openTables { transaction throws(StoreError) in
            try StoreTablesBuilder(request, transaction, makes: .none).build()
        }
        return try OpenFile(use, tables, at: location)
    }
}
