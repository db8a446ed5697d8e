import CairnStore

/// The history of a SQLite store, in Core Data's tables.
extension SQLiteStore {
    /// Returns the position of the newest transaction.
    ///
    /// - Throws: `.closed`, `.historyUnavailable`, `.corrupt`, `.busy` or `.engineFailure`.
    package func newestHistoryPosition() throws(StoreError) -> HistoryPosition? {
        try withHistory { history throws(StoreError) in try history.newest() }
    }

    /// Reads transactions from Core Data's tables, also those that Core Data wrote.
    ///
    /// - Throws: `.closed`, `.historyUnavailable`, `.corrupt`, `.busy` or `.engineFailure`.
    package func history(
        after position: HistoryPosition?, limit: Int
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        try withHistory { history throws(StoreError) in
            try history.transactions(after: position, limit: limit)
        }
    }

    private func withHistory<Result: Sendable>(
        _ body: (HistoryReader) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        if isClosed { throw .closed(request.location) }
        return try readers.checkOut().withConnection { (connection) throws(StoreError) in
            try body(try reader(on: connection))
        }
    }

    private func reader(on connection: SQLiteConnection) throws(StoreError) -> HistoryReader {
        guard let tables = try history(on: connection) else {
            throw .historyUnavailable(request.location, .notTracked)
        }
        return HistoryReader(
            connection: connection, tables: tables, schema: schema, storeID: identifier)
    }

    /// Returns the tables of the history in the state that a connection reads, or `nil` if the store has
    /// no history there. A store without one only pays for reading a number.
    ///
    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    func history(on connection: SQLiteConnection) throws(StoreError) -> HistoryTables? {
        let known = knownHistory.withLock { $0 }
        if let tables = known.tables { return tables }
        let version = try connection.schemaVersion
        if version == known.schemaVersion { return nil }
        let tables = HistoryTables(try SchemaCatalog(reading: connection))
        knownHistory.withLock { $0 = HistoryTables.Known(tables: tables, schemaVersion: version) }
        return tables
    }

    /// Removes transactions, in several steps if there are many, between which others can save.
    ///
    /// - Throws: The errors of ``beginSave()``; `.historyUnavailable`.
    package func purgeHistory(before position: HistoryPosition) throws(StoreError) {
        while try purgeStep(before: position) {}
    }

    /// Removes some of the transactions before a position. Returns whether there may be more.
    private func purgeStep(before position: HistoryPosition) throws(StoreError) -> Bool {
        let save = try begin()
        defer { save.rollback() }
        return try save.changeHistory { save throws(StoreError) in
            try reader(on: save.connection).removeSome(before: position)
        }
    }

    /// Adds transactions of another store. Preserved values that the tables have no columns for are left
    /// out.
    ///
    /// - Throws: The errors of ``beginSave()``; `.historyUnavailable`, `.unsupported`.
    package func addHistory(_ transactions: [PersistentHistoryTransaction]) throws(StoreError) {
        let save = try begin()
        defer { save.rollback() }
        try save.changeHistory { save throws(StoreError) in
            guard let tables = save.history else {
                throw .historyUnavailable(request.location, .notTracked)
            }
            var writer = try HistoryWriter(save, tables, tombstones: [:])
            for transaction in transactions { try writer.add(transaction) }
        }
    }
}
