import CairnStore
import Synchronization

/// A connection with a read transaction on one state of a store.
///
/// Returns the connection to the pool when the reader ends or is released.
final class SQLiteReader: Sendable {
    /// The state that the transaction shows.
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

    /// Calls the body with exclusive access to the connection.
    ///
    /// The caller may keep statements between calls, but may step them only inside the body. After
    /// the reader has ended, its statements are reset and this method throws.
    ///
    /// - Throws: `.closed` if the reader has ended, and the errors of the body.
    func withConnection<Result>(
        _ body: (SQLiteConnection) throws(StoreError) -> sending Result
    ) throws(StoreError) -> sending Result {
        try connection.withLock { (connection) throws(StoreError) -> sending Result in
            guard let connection else { throw .closed(location) }
            return try body(connection)
        }
    }

    /// Returns another reader with a transaction on the same state. Returns `nil` if there is a
    /// newer state by now, or if no other connection is available.
    func another() -> SQLiteReader? {
        guard let other = try? pool.checkOut() else { return nil }
        return other.generation == generation ? other : nil
    }

    /// Ends the transaction and returns the connection to the pool. Calling this twice has no
    /// effect.
    func end() {
        let connection = connection.withLock { connection in
            defer { connection = nil }
            return connection
        }
        if let connection { pool.checkIn(connection, of: ObjectIdentifier(self)) }
    }
}
