import CairnStore

/// A connection that observes commits to the store, and reads nothing else.
///
/// Its number changes with every commit by another connection, including those of other programs.
/// Reading the number does not parse the schema, so this connection opens in a fraction of the time
/// that a connection for reading needs.
struct StoreObserver: @unchecked Sendable {
    // Unchecked: the code that opens the store owns it first, and hands it over to the pool, which
    // uses
    // it under a mutex.
    let connection: SQLiteConnection
    private let statement: SQLiteStatement

    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    init(_ connection: SQLiteConnection) throws(StoreError) {
        self.connection = connection
        statement = try connection.statement("PRAGMA data_version")
    }

    /// The number of the newest state. It can only be compared with other numbers from this
    /// observer.
    var dataVersion: Int64 {
        get throws(StoreError) {
            // The statement has no bindings, so it does not need a full reset.
            defer { statement.rest() }
            return try statement.step() ? statement.int64(at: 0) : 0
        }
    }
}
