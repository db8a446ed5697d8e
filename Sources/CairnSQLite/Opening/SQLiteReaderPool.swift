import CairnStore
import Synchronization

/// The connections from which snapshots read, and the clock that numbers states.
///
/// A connection sees commits of others as a change of `PRAGMA data_version`, which says that there
/// was one but not in what order two connections stand. So one connection, the observer, reads
/// nothing else, and each time its number changes the generation grows by one. Commits of any
/// program count.
final class SQLiteReaderPool: Sendable {
    private struct State {
        var idle: [SQLiteConnection] = []
        /// `nil` once the pool is closed.
        var observer: StoreObserver?
        var dataVersion: Int64
        var generation = SQLiteReaderPool.firstGeneration
        var isClosed = false
        /// Readers that are out, to end them when the store closes.
        var readers: [ObjectIdentifier: WeakReader] = [:]
    }

    private struct WeakReader {
        weak var reader: SQLiteReader?
    }

    /// Readers that come back beyond this number are closed: each may hold megabytes of cache.
    private static let mostIdle = 8

    private let open: @Sendable () throws(StoreError) -> SQLiteConnection
    private let location: StoreLocation
    private let state: Mutex<State>

    /// The number of the state that the observer's given number means.
    static let firstGeneration = StoreGeneration(1)

    /// - Parameters:
    ///   - observer: nobody else uses it until the pool is closed.
    ///   - dataVersion: what the observer said of the state that gets ``firstGeneration``.
    ///   - reader: a connection for the first snapshot.
    ///   - open: opens a connection for reading; called as snapshots need more.
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
    /// - Throws: `.closed`, `.corrupt`, `.busy`, `.engineFailure`.
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
    /// - Throws: `.closed`, `.corrupt`, `.busy`, `.engineFailure`.
    func newestGeneration() throws(StoreError) -> StoreGeneration {
        try state.withLock { (state) throws(StoreError) in
            guard !state.isClosed else { throw .closed(location) }
            return try Self.observe(&state)
        }
    }

    /// Returns the number of the state that a commit of this store's has just made.
    ///
    /// - Precondition: the writer lock is still held, so that no later state is meant.
    func generationOfCommit() -> StoreGeneration {
        state.withLock { state in
            if let generation = try? Self.observe(&state) { return generation }
            // The commit happened: the state is a new one, whatever the observer could not see.
            state.generation = StoreGeneration(state.generation.rawValue + 1)
            return state.generation
        }
    }

    /// Does for a store that has no connection for saves yet what
    /// ``Checkpoint/afterLossOfName()`` says.
    ///
    /// - Precondition: the writer lock is held, and the observer may write.
    func emptyLogAfterLossOfName() {
        state.withLock { state in
            if let observer = state.observer {
                Checkpoint(connection: observer.connection).afterLossOfName()
            }
        }
    }

    /// Whether a reader is out, which may show a state of before.
    var hasReadersOut: Bool { state.withLock { !$0.readers.isEmpty } }

    /// Ends all readers, those still out too, and closes their connections.
    ///
    /// - Returns: the observer's connection, which the caller closes. `nil` a second time.
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

    /// Takes back the connection of a reader that ended.
    func checkIn(_ connection: SQLiteConnection, of reader: ObjectIdentifier) {
        let isSound = connection.endRead()
        state.withLock { state in
            state.readers[reader] = nil
            guard isSound, !state.isClosed, state.idle.count < Self.mostIdle else { return }
            state.idle.append(connection)
        }
    }

    /// Begins a read transaction on a state whose number is known: no commit came between the
    /// observer's look before and the one after.
    private func begin(
        on connection: SQLiteConnection, _ state: inout State
    ) throws(StoreError) -> StoreGeneration {
        while true {
            let before = try Self.observe(&state)
            try connection.execute("BEGIN")
            // BEGIN alone takes no lock: the transaction starts with the first read.
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
