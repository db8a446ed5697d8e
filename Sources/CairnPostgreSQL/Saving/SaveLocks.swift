import CairnModel
import CairnRows
import CairnStore
import Foundation

/// The beginning of a save's transaction, and the locks of the server that saves take by number.
///
/// Saves share the lock of their store, so that one that must be alone can keep the others away. Numbers are hashes, and
/// a number that two locks have in common only makes saves wait that need not.
struct SaveLocks {
    let schema: StoreSchema
    let timeout: Duration

    /// Begins a transaction, takes the store's lock, and runs statements. Commits wait for the disk, whatever the server's
    /// default says.
    ///
    /// - Parameters:
    ///   - isAlone: whether all other saves of the store have to wait.
    ///   - mayBeReplaced: whether another store may have taken the schema's name.
    ///   - first: statements that take effect before the transaction.
    /// - Returns: whether the store keeps a history; the results of `first` and of `statements`.
    /// - Throws: `.busy`; `.fileReplaced` if another store took the schema's name; the errors of
    ///   ``PostgresPool/begin(_:)``.
    func begin(
        _ pool: PostgresPool, isAlone: Bool, mayBeReplaced: Bool = false,
        after first: [PostgresStatement] = [], _ statements: [PostgresStatement],
        for operation: String
    ) throws(StoreError) -> Begun {
        let beginning = first + self.beginning(isAlone, mayBeReplaced)
        do throws(StoreError) {
            let (connection, results) = try pool.begin { (connection) throws(StoreError) in
                try connection.run(beginning + statements, for: operation, isCancellable: true)
            }
            return Begun(
                connection: connection,
                keepsHistory: !results[beginning.count - 1].isNull(0, 0),
                first: Array(results.prefix(first.count)),
                results: Array(results.dropFirst(beginning.count)))
        } catch .engineFailure(let failure) where failure.message.contains(Self.mark) {
            throw schema.replaced
        } catch {
            throw error
        }
    }

    /// A transaction that has begun.
    struct Begun {
        var connection: PostgresConnection
        var keepsHistory: Bool
        var first: [PostgresResult]
        var results: [PostgresResult]
    }

    /// Runs statements in a transaction of their own while no save of the store is under way.
    ///
    /// - Throws: `.commitOutcomeUnknown`; the errors of ``begin(_:isAlone:mayBeReplaced:after:_:for:)``.
    func changeAlone(
        _ statements: [PostgresStatement], _ pool: PostgresPool, for operation: String
    ) throws(StoreError) {
        let connection = try begin(pool, isAlone: true, statements, for: operation).connection
        do throws(StoreError) {
            try connection.commit()
        } catch {
            pool.end(connection)
            throw error
        }
        pool.giveBack(connection)
    }

    /// The last statement returns the column `history` of `cairn_state`, and fails if another store took the schema's
    /// name, with ``mark`` in its message.
    private func beginning(_ isAlone: Bool, _ mayBeReplaced: Bool) -> [PostgresStatement] {
        let wait = min(timeout, StoreDeadline.remaining ?? timeout)
        // 0 would mean no limit.
        let milliseconds = max(1, min(wait.milliseconds, Int(Int32.max)))
        return [
            "BEGIN ISOLATION LEVEL READ COMMITTED",
            PostgresStatement("SET LOCAL lock_timeout = \(milliseconds)"),
            PostgresStatement(
                "SELECT pg_advisory_xact_lock\(isAlone ? "" : "_shared")($1)",
                [.integer(storeNumber)]),
            // A statement of its own, which sees what was committed while the lock was waited for.
            PostgresStatement(
                """
                SELECT history, CASE WHEN $1::regclass::oid::int8 <> $2 AND $3 = 0 THEN ('\(Self.mark)' || format)::int4 END, \
                CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END
                FROM \(schema.prefix)cairn_state
                """,
                [
                    .text("\(schema.prefix)cairn_commits"), .integer(schema.identity),
                    .integer(mayBeReplaced ? 1 : 0),
                ]),
        ]
    }

    private static let mark = "cairn: another store "

    /// Returns the statement that takes the locks of constraints, then those of values, each in the order of the numbers,
    /// so that two saves never wait for each other.
    ///
    /// - Parameter constraints: for each constraint, whether all of its values are locked.
    func taking(constraints: [Int64: Bool], values: Set<Int64>) -> PostgresStatement? {
        guard !constraints.isEmpty else { return nil }
        let ordered = constraints.sorted { $0.key < $1.key }
        return PostgresStatement(
            """
            SELECT CASE s WHEN 0 THEN pg_advisory_xact_lock(n) ELSE pg_advisory_xact_lock_shared(n) END
            FROM unnest($1, $2) AS l(n, s)
            """,
            [
                .integers(ordered.map(\.key) + values.sorted()),
                .integers16(ordered.map { $0.value ? 0 : 1 } + values.map { _ in 0 }),
            ])
    }

    /// Returns the number of a lock. Equal values have equal numbers, in all processes.
    func number(_ subject: String, _ values: [Value]) -> Int64 {
        Self.number(subject, values, prefix: schema.prefix)
    }

    /// The number of the lock that all saves of the store share, and that each has before its transaction has a number.
    var storeNumber: Int64 { number("store", []) }

    /// The statement that waits for all saves of a store, and keeps others away until the transaction ends.
    static func excluding(_ schema: String) -> PostgresStatement {
        PostgresStatement(
            "SELECT pg_advisory_xact_lock($1)",
            [.integer(number("store", [], prefix: "\(schema.quoted)."))])
    }

    private static func number(_ subject: String, _ values: [Value], prefix: String) -> Int64 {
        var bytes: [UInt8] = []
        func add(_ part: some Collection<UInt8>) {
            // The length separates values.
            withUnsafeBytes(of: part.count) { bytes += $0 }
            bytes += part
        }
        add(prefix.utf8)
        add(subject.utf8)
        for value in values {
            switch value {
            case .string(let text): add(text.utf8)
            case .uri(let url): add(url.absoluteString.utf8)
            case .binary(let data), .transformable(let data): add(data)
            case .integer(let number): add("\(number)".utf8)
            case .double(let number): add("\(number)".utf8)
            case .date(let date): add("\(date.timeIntervalSinceReferenceDate)".utf8)
            case .uuid(let uuid): add(uuid.uuidString.utf8)
            case .objectID(let id): add("\(id.key)".utf8)
            // Rare, or with several forms of one value: they share a lock.
            default: add([])
            }
        }
        return Int64(bitPattern: bytes.withUnsafeBytes { Checksum.of($0) })
    }
}
