import CairnFiles
import CairnStore

/// The file of an open store: the right to use its environment, and its tables there.
///
/// A class, because every call of a store takes it out of its mutex.
final class OpenFile: Sendable {
    let use: LMDBEnvironmentUse
    let tables: StoreTables
    /// The open file under the store's location. Symbolic links are followed at each look.
    private let name: OpenedFile
    private let location: StoreLocation

    /// - Throws: `.unsupported` if the location is not a file.
    init(
        _ use: LMDBEnvironmentUse, _ tables: StoreTables, at location: StoreLocation
    ) throws(StoreError) {
        self.use = use
        self.tables = tables
        self.location = location
        // Made once, because a URL's path costs more than the look itself.
        name = OpenedFile(
            at: try LMDBOpening.fileURL(of: location).path, use.environment.identity)
    }

    /// Calls the body with a transaction that reads the newest state.
    ///
    /// - Throws: `.busy`, `.engineFailure`; what the body throws.
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
    ///
    /// - Throws: `.fileRemoved`, `.fileReplaced`, `.fileFailure`.
    func requireName() throws(StoreError) { try name.requireName(of: location) }

    /// Checks that the store's location still leads to the open file, and no other name does: users
    /// of another name have another lock file, and would not see this one.
    ///
    /// - Throws: `.fileRemoved`, `.fileReplaced`, `.hardLinked`, `.fileFailure`.
    func requireOnlyName() throws(StoreError) { try name.requireOnlyName(of: location) }

    /// Returns the same file, opened again after a failure that made its environment unusable.
    ///
    /// The first of the file's stores to ask opens it; the others get that environment.
    ///
    /// - Throws: as ``LMDBStore/open(_:)``; `.fileRemoved`, `.fileReplaced`.
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

    /// Returns the file with all tables that it has now; other processes may have added indexes.
    ///
    /// Costs no transaction if there is no new table.
    ///
    /// - Precondition: the caller holds the file's write lock, so that no table is added meanwhile.
    /// - Throws: `.corrupt`, `.engineFailure`.
    func withNewestTables(for request: OpenRequest) throws(StoreError) -> OpenFile {
        if try use.environment.tableCount() == tables.fileTableCount { return self }
        let tables = try use.environment.openTables { transaction throws(StoreError) in
            try StoreTablesBuilder(request, transaction, makes: .none).build()
        }
        return try OpenFile(use, tables, at: location)
    }
}
