import CairnCPostgreSQL
import CairnStore
import CairnThreads
import Foundation

/// A connection through libpq. Statements go to the server in one flush (libpq's pipeline mode), so that any
/// number of them takes one round trip.
///
/// Waits observe the ``CairnStore/StoreDeadline``, and let another thread of the turn executor work meanwhile.
final class PostgresConnection: @unchecked Sendable {
    // Unchecked: whoever took the connection from the pool uses it alone, until it is given back.

    /// The session, or `nil` after it was lost or closed.
    private var session: OpaquePointer?
    let location: StoreLocation
    private let timeout: Duration
    /// The number of answers that were not waited for: see ``post(_:)``.
    private var unreadCount = 0
    private var prepared: PreparedStatements
    /// Set by the receiver of notices, which runs on the thread that reads an answer.
    private var hasWarning = false

    /// Whether the connection cannot be used any more.
    var isLost: Bool { session == nil }

    /// Connects, within ten seconds or until the deadline.
    ///
    /// - Throws: `.deadlineExceeded`; `.engineFailure` with the server's reason.
    ///
    /// - Parameter keepsPlans: whether the server keeps the plans of statements. Set to `false` if it turns out that it
    ///   does not.
    init(
        _ address: PostgreSQLAddress, at location: StoreLocation, timeout: Duration,
        keepsPlans: PlanKeeping
    ) throws(StoreError) {
        self.location = location
        self.timeout = timeout
        prepared = PreparedStatements(keepsPlans)
        session = address.withParameters { PQconnectStartParams($0, $1, 0) }
        let end = StoreDeadline.limiting(.now + .seconds(10))
        var step = PGRES_POLLING_WRITING
        while step != PGRES_POLLING_OK {
            guard PQstatus(session) != CONNECTION_BAD, step != PGRES_POLLING_FAILED else {
                throw lost("connect")
            }
            let events = step == PGRES_POLLING_READING ? POLLIN : POLLOUT
            guard try wait(for: events, until: end, isCancellable: false) else {
                close()
                throw failure("connect", "the server did not answer within 10 seconds")
            }
            step = PQconnectPoll(session)
        }
        PQsetnonblocking(session, 1)
        PQenterPipelineMode(session)
        // The session calls the receiver only while this object lives, because `deinit` ends the session.
        PQsetNoticeReceiver(
            session,
            { connection, result in
                guard let connection, PostgresResult.isWarning(result) else { return }
                Unmanaged<PostgresConnection>.fromOpaque(connection).takeUnretainedValue()
                    .hasWarning = true
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { close() }

    /// Ends the session without waiting. The server rolls an open transaction back.
    func close() {
        if let session { PQfinish(session) }
        session = nil
    }

    // MARK: Statements

    /// Runs the statements in order, in one round trip. Returns their results.
    ///
    /// Statements outside of `BEGIN` and `COMMIT` take effect together, up to one that ``PostgresStatement/endsUnit``.
    /// If one fails, those after it in its unit are not run, but those of later units are.
    ///
    /// - Parameter isCancellable: whether the wait ends if the running task is cancelled.
    /// - Throws: `.busy` for a lock that was not granted in time; `.deadlineExceeded` or `.cancelled`, after which the
    ///   connection is lost; `.engineFailure`.
    func run(
        _ statements: [PostgresStatement], for operation: String, isCancellable: Bool = false
    ) throws(StoreError) -> [PostgresResult] {
        try StoreDeadline.check()
        // The server answers nothing to nothing.
        guard !statements.isEmpty else { return [] }
        try send(statements, for: operation)
        return try receive(
            statements, for: operation, until: StoreDeadline.current, isCancellable: isCancellable)
    }

    /// Runs one statement.
    ///
    /// - Throws: the errors of ``run(_:for:isCancellable:)``.
    func run(
        _ statement: PostgresStatement, for operation: String
    ) throws(StoreError) -> PostgresResult {
        try run([statement], for: operation)[0]
    }

    /// Runs a statement that removes what is not needed any more, also after the deadline. Waits for at most 30 seconds.
    ///
    /// - Throws: the errors of ``run(_:for:isCancellable:)`` without `.cancelled`.
    func runAnyway(
        _ statement: PostgresStatement, for operation: String
    ) throws(StoreError) {
        try send([statement], for: operation)
        _ = try receive([statement], for: operation, until: .now + .seconds(30))
    }

    /// Sends a statement whose answer nobody needs. It is read before the next one.
    func post(_ statement: PostgresStatement) {
        guard (try? send([statement], for: "end")) != nil else { return }
        _ = PQflush(session)
        unreadCount += 1
    }

    /// Commits. A deadline or a cancelled task does not end the commit.
    ///
    /// - Parameters:
    ///   - last: statements of the transaction that go with the commit, in the same round trip.
    ///   - next: a statement that reads what the commit created, in the same round trip.
    ///   - more: a statement whose answer nobody needs.
    /// - Returns: the results of `last` and `next`.
    /// - Throws: `.commitOutcomeUnknown` if an answer is lost, or if the server warns that its standbys may not have
    ///   the commit; `.engineFailure` or `.busy` if the server rolled back.
    @discardableResult
    func commit(
        after last: [PostgresStatement] = [], reading next: PostgresStatement? = nil,
        then more: PostgresStatement? = nil
    ) throws(StoreError) -> [PostgresResult] {
        guard !isLost else { throw failure("commit", "the connection was lost", isTransient: true) }
        hasWarning = false
        let statements = last + ["COMMIT"]
        let others = [next, more].compactMap(\.self)
        var unread = others.count
        defer { unreadCount += unread }
        var results: [PostgresResult]
        do throws(StoreError) {
            try send(statements, for: "commit")
            for other in others { try send([other], for: "commit") }
            results = try receive(statements, for: "commit", until: nil)
        } catch {
            throw isLost ? Self.unknown(error) : error
        }
        if hasWarning {
            throw .commitOutcomeUnknown(
                engineFailure(
                    "commit", "the server committed without the confirmation of its standbys"))
        }
        guard results.popLast()?.command == "COMMIT" else {
            throw failure("commit", "the server rolled the transaction back")
        }
        guard let next else { return results }
        unread -= 1
        do throws(StoreError) {
            return results + (try receive([next], for: "commit", until: nil))
        } catch {
            // The save took place, which its name tells.
            throw Self.unknown(error)
        }
    }

    private static func unknown(_ error: StoreError) -> StoreError {
        guard case .engineFailure(let failure) = error else { return error }
        return .commitOutcomeUnknown(failure)
    }

    private func send(
        _ statements: [PostgresStatement], for operation: String
    ) throws(StoreError) {
        guard let session else {
            throw failure(operation, "the connection was lost", isTransient: true)
        }
        for (index, statement) in statements.enumerated() {
            let endsUnit = index == statements.count - 1 || statement.endsUnit
            guard prepared.send(statement, to: session),
                !endsUnit || PQpipelineSync(session) == 1
            else { throw lost(operation) }
            if endsUnit { prepared.endSentUnit() }
        }
    }

    private func receive(
        _ statements: [PostgresStatement], for operation: String,
        until end: ContinuousClock.Instant?, isCancellable: Bool = false
    ) throws(StoreError) -> [PostgresResult] {
        var toSkip = unreadCount
        unreadCount = 0
        var results: [PostgresResult] = []
        var failed: PostgresResult?
        var units = toSkip + statements.dropLast().count(where: \.endsUnit) + 1
        while units > 0 {
            let result = try nextResult(operation, until: end, isCancellable)
            switch result?.status {
            case nil: continue
            case PGRES_PIPELINE_SYNC?:
                prepared.endReceivedUnit()
                units -= 1
                if toSkip > 0 { toSkip -= 1 }
            // Only a preparation has no command.
            case PGRES_COMMAND_OK? where result?.command.isEmpty == true: prepared.note()
            case PGRES_TUPLES_OK?, PGRES_COMMAND_OK?, PGRES_EMPTY_QUERY?:
                if let result, toSkip == 0 { results.append(result) }
            default:
                if toSkip == 0, failed == nil { failed = result }
            }
        }
        if let failed {
            prepared.note(failed.sqlState)
            throw error(of: failed, operation)
        }
        guard results.count == statements.count else {
            throw failure(
                operation, "the server answered \(results.count) of \(statements.count) statements")
        }
        return results
    }

    /// Waits for the next result. Returns `nil` between the results of two statements.
    private func nextResult(
        _ operation: String, until end: ContinuousClock.Instant?, _ isCancellable: Bool
    ) throws(StoreError) -> PostgresResult? {
        while true {
            let unsent = PQflush(session)
            guard unsent >= 0 else { throw lost(operation) }
            if PQisBusy(session) == 0 {
                let result = PQgetResult(session).map(PostgresResult.init)
                if PQstatus(session) == CONNECTION_BAD { throw lost(operation, result) }
                return result
            }
            let events = unsent == 0 ? POLLIN : POLLIN | POLLOUT
            guard try wait(for: events, until: end, isCancellable: isCancellable) else {
                close()
                throw .deadlineExceeded
            }
            guard PQconsumeInput(session) == 1 else { throw lost(operation) }
        }
    }

    /// Waits until the socket is ready. Returns `false` at `end`.
    private func wait(
        for events: Int32, until end: ContinuousClock.Instant?, isCancellable: Bool
    ) throws(StoreError) -> Bool {
        while true {
            let left = end.map { ContinuousClock.now.duration(to: $0).milliseconds }
            let pause = isCancellable ? min(20, left ?? 20) : left ?? -1
            var descriptor = pollfd(fd: PQsocket(session), events: Int16(events), revents: 0)
            let ready = TurnExecutor.whileWaiting {
                poll(&descriptor, 1, Int32(clamping: end == nil ? pause : max(0, pause)))
            }
            if ready > 0 { return true }
            if ready < 0, errno != EINTR { throw lost("wait") }
            if isCancellable, Task.isCancelled {
                close()
                throw .cancelled
            }
            if let left, left <= 0 {
                // A deadline that ends the connecting is reported as such.
                do throws(StoreError) {
                    try StoreDeadline.check()
                } catch {
                    close()
                    throw error
                }
                return false
            }
        }
    }

    // MARK: Failures

    private func error(of result: PostgresResult, _ operation: String) -> StoreError {
        if result.sqlState == "55P03" {
            // The lock's timeout is that of the option, or the time that is left.
            do throws(StoreError) {
                try StoreDeadline.check()
            } catch { return error }
            return .busy(location, waited: timeout)
        }
        return .engineFailure(
            PostgreSQLFailure(
                operation: operation, sqlState: result.sqlState, message: result.message
            ).engineFailure(at: location))
    }

    /// Closes the connection, and returns the reason why it was lost.
    private func lost(_ operation: String, _ result: PostgresResult? = nil) -> StoreError {
        let said = result.map(\.message).flatMap { $0.isEmpty ? nil : $0 }
        let message = said ?? session.map { String(cString: PQerrorMessage($0)) } ?? ""
        close()
        let text = message.split(separator: "\n").first.map(String.init)
        // Wrong credentials and missing databases stay wrong, all other losses may pass.
        let isRefused = ["authentication", "password", "does not exist", "no pg_hba.conf"]
            .contains { message.contains($0) }
        return failure(
            operation, text ?? "the connection was lost",
            isTransient: !(operation == "connect" && isRefused))
    }

    private func failure(
        _ operation: String, _ message: String, isTransient: Bool = false
    ) -> StoreError {
        .engineFailure(engineFailure(operation, message, isTransient: isTransient))
    }

    private func engineFailure(
        _ operation: String, _ message: String, isTransient: Bool = false
    ) -> EngineFailure {
        var failure = PostgreSQLFailure(operation: operation, sqlState: "", message: message)
            .engineFailure(at: location)
        failure.isTransient = isTransient
        return failure
    }
}

extension Duration {
    /// The whole milliseconds, rounded up.
    var milliseconds: Int {
        Int(clamping: components.seconds) * 1000
            + Int((components.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
