import CairnModel
import CairnStore
import CairnThreads
import Synchronization

/// The connections that snapshots read from, and the counter that numbers the states of the store.
///
/// A connection sees commits of other connections as a change of `PRAGMA data_version`. The number
/// shows that there was a commit, but not which of two connections shows the later state. Therefore
/// one connection, the observer, is used only to read this number. Each time the number changes,
/// the generation increases by one. This includes commits by other programs.
final class SQLiteReaderPool: Sendable {
    private struct State {
        var idle: [SQLiteConnection] = []
        /// The observer, or `nil` after the pool was closed.
        var observer: StoreObserver?
        var dataVersion: Int64
        var generation = SQLiteReaderPool.firstGeneration
        var isClosed = false
        /// The readers in use, which are ended when the store is closed.
        var readers: [ObjectIdentifier: WeakReader] = [:]
        /// Called once, when no reader is in use.
        var whenUnused: (@Sendable () -> Void)?

        mutating func takeWhenUnused() -> (@Sendable () -> Void)? {
            guard let call = whenUnused, readers.isEmpty else { return nil }
            whenUnused = nil
            return call
        }
    }

    private struct WeakReader {
        weak var reader: SQLiteReader?
    }

    /// The maximum number of idle connections. More are closed when they are returned, because each
    /// may hold megabytes of cache.
    private static let mostIdle = 8

    private let open: @Sendable () throws(StoreError) -> SQLiteConnection
    private let location: StoreLocation
    private let state: Mutex<State>

    /// The number of the state in which the pool was created.
    static let firstGeneration = StoreGeneration(1)

    /// - Parameters:
    ///   - observer: The observer. Only the pool uses it until the pool is closed.
    ///   - dataVersion: The observer's number for the state that gets ``firstGeneration``.
    ///   - reader: A connection for the first snapshot.
    ///   - open: Opens a connection for reading. Called when snapshots need more connections.
    init(
        location: StoreLocation, observer: StoreObserver, dataVersion: Int64,
        reader: SQLiteConnection? = nil,
        open: @escaping @Sendable () throws(StoreError) -> SQLiteConnection
    ) {
        self.open = open
        self.location = location
        state = Mutex(
            State(
                idle: reader.map { [$0] } ?? [], observer: observer, dataVersion: dataVersion))
    }

    /// Returns a connection with a read transaction on the newest state.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.busy` or `.engineFailure`.
    func checkOut() throws(StoreError) -> SQLiteReader {
        try state.withLock { (state) throws(StoreError) -> SQLiteReader in
            guard !state.isClosed else { throw .closed(location) }
            let connection = if let idle = state.idle.popLast() { idle } else { try open() }
            let generation = try begin(on: connection, &state)
            let reader = SQLiteReader(connection, generation, location: location, pool: self)
            state.readers[ObjectIdentifier(reader)] = WeakReader(reader: reader)
            return reader
        }
    }

    /// Returns the number of the newest state.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.busy` or `.engineFailure`.
    func newestGeneration() throws(StoreError) -> StoreGeneration {
        try state.withLock { (state) throws(StoreError) in
            guard !state.isClosed else { throw .closed(location) }
            return try Self.observe(&state)
        }
    }

    /// Returns the number of the state that this store's latest commit created.
    ///
    /// - Precondition: The caller still holds the writer lock, so that there is no later state.
    func generationOfCommit() -> StoreGeneration {
        state.withLock { state in
            if let generation = try? Self.observe(&state) { return generation }
            // The commit has succeeded, so the state is new even though the observer could not be
            // asked.
            state.generation = StoreGeneration(state.generation.rawValue + 1)
            return state.generation
        }
    }

    /// Performs ``Checkpoint/truncateLogAfterLosingName()`` for a store that has no connection for saves yet.
    ///
    /// - Precondition: The caller holds the writer lock, and the observer may write.
    func emptyLogAfterLossOfName() {
        state.withLock { state in
            if let observer = state.observer {
                Checkpoint(connection: observer.connection).truncateLogAfterLosingName()
            }
        }
    }

    /// Ends all readers, including those in use, and closes their connections.
    ///
    /// - Returns: The observer's connection, which the caller must close. `nil` if the pool is
    ///   already closed.
    @discardableResult func close() -> SQLiteConnection? {
        let (readers, connection) = state.withLock { state in
            state.isClosed = true
            state.idle = []
            defer { state.observer = nil }
            return (state.readers.values.compactMap(\.reader), state.observer?.connection)
        }
        for reader in readers { reader.end() }
        return connection
    }

    /// Takes back the connection of a reader that has ended.
    func checkIn(_ connection: SQLiteConnection, of reader: ObjectIdentifier) {
        let isSound = connection.endRead()
        let whenUnused = state.withLock { state in
            state.readers[reader] = nil
            if isSound, !state.isClosed, state.idle.count < Self.mostIdle {
                state.idle.append(connection)
            }
            return state.takeWhenUnused()
        }
        whenUnused?()
    }

    /// Calls a closure once, the next time that a reader ends and none is in use any more.
    func whenUnused(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.whenUnused = body }
    }

    /// Begins a read transaction on a state whose number is known. It repeats until no commit comes
    /// between the observer's answers before and after the transaction began.
    private func begin(
        on connection: SQLiteConnection, _ state: inout State
    ) throws(StoreError) -> StoreGeneration {
        while true {
            let before = try Self.observe(&state)
            try connection.execute("BEGIN")
            // BEGIN alone takes no lock. The transaction starts with the first read.
            _ = try connection.statement("SELECT 1 FROM Z_METADATA LIMIT 1").step()
            if try Self.observe(&state) == before { return before }
            try connection.execute("ROLLBACK")
        }
    }

    private static func observe(_ state: inout State) throws(StoreError) -> StoreGeneration {
        guard let observer = state.observer else { return state.generation }
        let version = try observer.dataVersion
        if version != state.dataVersion {
            state.dataVersion = version
            state.generation = StoreGeneration(state.generation.rawValue + 1)
        }
        return state.generation
    }
}

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

/// The connection for saves, and the rows that its triggers report.
struct SQLiteWriter: @unchecked Sendable {
    // Unchecked: only the save that holds the writer lock uses it. The store hands it over under a
    // mutex.
    let connection: SQLiteConnection
    let computedRows: ComputedRows
}
