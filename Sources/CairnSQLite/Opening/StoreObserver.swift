import CairnStore

/// A connection that sees when anyone commits to the store, and reads nothing else.
///
/// Its number changes with every commit of another connection, of any program. Asking for the number
/// parses no schema, so the connection is opened in a fraction of the time that one for reading takes.
struct StoreObserver: @unchecked Sendable {
    // Unchecked: whoever opens the store has it, and hands it over to the pool, which uses it under a
    // mutex.
    let connection: SQLiteConnection
    private let statement: SQLiteStatement

    /// - Throws: `.corrupt`, `.busy`, `.engineFailure`.
    init(_ connection: SQLiteConnection) throws(StoreError) {
        self.connection = connection
        statement = try connection.statement("PRAGMA data_version")
    }

    /// The number of the newest state. Means something only to this observer.
    var dataVersion: Int64 {
        get throws(StoreError) {
            // Nothing is bound to it.
            defer { statement.rest() }
            return try statement.step() ? statement.int64(at: 0) : 0
        }
    }
}
