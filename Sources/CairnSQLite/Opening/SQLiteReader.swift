import CairnStore
import Synchronization

/// A connection with a read transaction on one state of a store.
///
/// Gives the connection back when it ends or is released.
final class SQLiteReader: Sendable {
    /// Which state the transaction shows.
    let generation: StoreGeneration
    private let location: StoreLocation
    private let connection: Mutex<SQLiteConnection?>
    private let pool: SQLiteReaderPool

    init(
        _ connection: SQLiteConnection, _ generation: StoreGeneration, location: StoreLocation,
        pool: SQLiteReaderPool
    ) {
        self.connection = Mutex(connection)
        self.generation = generation
        self.location = location
        self.pool = pool
    }

    deinit { end() }

    /// Calls the body with the connection, while nobody else uses it.
    ///
    /// Statements may be kept across calls and are stepped inside of them only; after an end of
    /// the reader they are reset and this throws.
    ///
    /// - Throws: `.closed`, where the store was closed; what the body throws.
    func withConnection<Result>(
        _ body: (SQLiteConnection) throws(StoreError) -> sending Result
    ) throws(StoreError) -> sending Result {
        try connection.withLock { (connection) throws(StoreError) -> sending Result in
            guard let connection else { throw .closed(location) }
            return try body(connection)
        }
    }

    /// Returns another connection with a transaction on the same state. Returns `nil` if there is a newer state
    /// by now, or if no other connection can be had.
    func another() -> SQLiteReader? {
        guard let other = try? pool.checkOut() else { return nil }
        return other.generation == generation ? other : nil
    }

    /// Ends the transaction and gives the connection back. Again, does nothing.
    func end() {
        let connection = connection.withLock { connection in
            defer { connection = nil }
            return connection
        }
        if let connection { pool.checkIn(connection, of: ObjectIdentifier(self)) }
    }
}
