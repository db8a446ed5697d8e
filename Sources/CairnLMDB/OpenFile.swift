import CairnFiles
import CairnStore

/// The file of an open store: the right to use its environment, and its tables there.
struct OpenFile: Sendable {
    let use: LMDBEnvironmentUse
    let tables: StoreTables

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
    func requireName(of location: StoreLocation) throws(StoreError) {
        try opened(at: location).requireName(of: location)
    }

    /// Checks that the store's location still leads to the open file, and no other name does: users
    /// of another name have another lock file, and would not see this one.
    ///
    /// - Throws: `.fileRemoved`, `.fileReplaced`, `.hardLinked`, `.fileFailure`.
    func requireOnlyName(of location: StoreLocation) throws(StoreError) {
        try opened(at: location).requireOnlyName(of: location)
    }

    /// Symbolic links are followed each time: the location is theirs.
    private func opened(at location: StoreLocation) throws(StoreError) -> OpenedFile {
        OpenedFile(
            at: try StoreOpener.fileURL(of: location).path, use.environment.identity)
    }

    /// Returns the same file, opened again after a failure that made its environment unusable.
    ///
    /// The first of the file's stores to ask opens it; the others get that environment.
    ///
    /// - Throws: as ``LMDBStore/open(_:)``; `.fileRemoved`, `.fileReplaced`.
    func reopened(
        for request: OpenRequest, _ options: LMDBOptions
    ) throws(StoreError) -> OpenFile {
        let url = try StoreOpener.fileURL(of: request.location)
        let use = try LMDBRegistry.shared.use(url, options.environment, following: use)
        let tables = try use.environment.openTables { transaction throws(StoreError) in
            try StoreTablesBuilder(request, transaction, makes: .none).build()
        }
        return OpenFile(use: use, tables: tables)
    }

    /// Returns the file with all tables that it has now; other processes may have added indexes.
    ///
    /// - Throws: `.corrupt`, `.engineFailure`.
    func withNewestTables(for request: OpenRequest) throws(StoreError) -> OpenFile {
        let known = tables
        let tables = try use.environment.openTables { transaction throws(StoreError) in
            let count = try transaction.table(nil, .bytes).map { main throws(StoreError) in
                try transaction.count(of: main)
            }
            if count == known.fileTableCount { return known }
            return try StoreTablesBuilder(request, transaction, makes: .none).build()
        }
        return OpenFile(use: use, tables: tables)
    }
}
