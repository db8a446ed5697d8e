import CairnStore
import Synchronization

/// The connections of one open store. Each is used by one snapshot or save at a time.
final class PostgresPool: Sendable {
    /// Enough for savers that commit at the same time: a new connection costs as much as several saves.
    private static let mostIdle = 32

    private let address: PostgreSQLAddress
    private let location: StoreLocation
    private let timeout: Duration
    private let keepsPlans = PlanKeeping()
    /// The idle connections, or `nil` after the store was closed.
    private let idle = Mutex<[PostgresConnection]?>([])

    init(_ address: PostgreSQLAddress, at location: StoreLocation, timeout: Duration) {
        self.address = address
        self.location = location
        self.timeout = timeout
    }

    var isClosed: Bool { idle.withLock { $0 == nil } }

    /// - Throws: `.closed`.
    func requireOpen() throws(StoreError) {
        if isClosed { throw .closed(location) }
    }

    /// Takes a connection and begins to use it. If an idle connection turns out to be lost, for example because the
    /// server was started again, the next one is tried, and then a new one.
    ///
    /// - Parameter body: begins the use. It may run several times, so it must change nothing that lasts.
    /// - Throws: `.closed`; the errors of connecting; those of the body, after which its transaction is rolled back.
    func begin<Value>(
        _ body: (PostgresConnection) throws(StoreError) -> Value
    ) throws(StoreError) -> (PostgresConnection, Value) {
        try StoreDeadline.check()
        while true {
            let (known, isOpen) = idle.withLock { ($0?.popLast(), $0 != nil) }
            guard isOpen else { throw .closed(location) }
            let connection =
                if let known { known } else {
                    try PostgresConnection(
                        address, at: location, timeout: timeout, keepsPlans: keepsPlans)
                }
            do throws(StoreError) {
                return (connection, try body(connection))
            } catch {
                if known != nil, connection.isLost, case .engineFailure = error { continue }
                end(connection)
                throw error
            }
        }
    }

    /// Runs statements that take effect at once.
    ///
    /// - Throws: the errors of ``begin(_:)``.
    func run(
        _ statements: [PostgresStatement], for operation: String, isCancellable: Bool = false
    ) throws(StoreError) -> [PostgresResult] {
        let (connection, results) = try begin { (connection) throws(StoreError) in
            try connection.run(statements, for: operation, isCancellable: isCancellable)
        }
        giveBack(connection)
        return results
    }

    /// Rolls an open transaction back, without waiting for it, and keeps the connection for others.
    func end(_ connection: PostgresConnection) {
        connection.post("ROLLBACK")
        giveBack(connection)
    }

    /// Keeps a connection without an open transaction for others.
    func giveBack(_ connection: PostgresConnection) {
        let isKept = idle.withLock { idle in
            guard !connection.isLost, let count = idle?.count, count < Self.mostIdle else {
                return false
            }
            idle?.append(connection)
            return true
        }
        if !isKept { connection.close() }
    }

    /// Closes the idle connections. Those in use are closed when they are given back.
    func close() {
        let all = idle.withLock { idle in
            defer { idle = nil }
            return idle ?? []
        }
        for connection in all { connection.close() }
    }
}
