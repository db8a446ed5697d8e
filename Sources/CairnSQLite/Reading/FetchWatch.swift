import CairnCSQLite
import CairnModel
import CairnSQL
import CairnStore
import Foundation

/// Stops the statements of a fetch when the fetch is cancelled or its deadline passes, and records
/// why.
///
/// SQLite calls the watch during a step, because a single step may be the whole fetch. A stopped
/// statement is reset, and its connection and read transaction remain usable
/// (sqlite.org/c3ref/interrupt.html).
final class FetchWatch {
    private var isCancellable = false
    private var progress: Progress?
    /// The deadline of the fetch whose statement is running.
    private var deadline: ContinuousClock.Instant?
    /// Why a statement of the latest fetch was stopped: `.predicate`, `.cancelled` or
    /// `.deadlineExceeded`. `nil` if no statement was stopped.
    private(set) var error: StoreError?
    /// How many rows the statements of explained fetches have looked at.
    private(set) var visitedCount = 0

    /// How many instructions a statement runs between two checks. This corresponds to some hundred
    /// rows.
    private static let instructionsPerLook: Int32 = 10_000

    /// Registers the watch with its connection.
    ///
    /// - Precondition: The connection owns the watch, and is closed before it releases the watch.
    func attach(to handle: OpaquePointer) {
        sqlite3_progress_handler(
            handle, Self.instructionsPerLook,
            { watch in
                guard let watch else { return 0 }
                return FetchWatch.of(watch).continues(after: FetchWatch.instructionsPerLook) ? 0 : 1
            }, userData)
    }

    /// A condition that is true, and counts the rows of the fetched entity that a statement looks at. SQLite
    /// evaluates conditions on one table in their order, so this must be the first one. It cannot be
    /// evaluated once for all rows, because it depends on the key. With a likelihood of 1, SQLite plans the
    /// statement as it does without the condition.
    static let visit: SQLText = "likelihood(cairn_visit(\(QueryScope.base).Z_PK), 1.0)"

    /// Registers the function of ``visit``.
    ///
    /// - Throws: `.engineFailure`.
    static func registerFunction(on connection: SQLiteConnection) throws(StoreError) {
        // Not deterministic, because every call counts.
        let code = sqlite3_create_function_v2(
            connection.handle, "cairn_visit", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
            connection.fetchWatch.userData,
            { context, _, _ in
                guard let watch = sqlite3_user_data(context) else { return }
                FetchWatch.of(watch).visitedCount += 1
                sqlite3_result_int(context, 1)
            }, nil, nil, nil)
        try connection.check(code, "register cairn_visit")
    }

    /// The pointer by which functions of the connection find the watch.
    var userData: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// Returns the watch for the pointer that a function of the connection received.
    static func of(_ userData: UnsafeMutableRawPointer) -> FetchWatch {
        Unmanaged<FetchWatch>.fromOpaque(userData).takeUnretainedValue()
    }

    /// Starts to watch the statements of a fetch.
    func begin(_ plan: FetchPlan) {
        isCancellable = plan.isCancellable
        if let progress = plan.progress { self.progress = progress }
        deadline = StoreDeadline.current
        error = nil
    }

    /// Stops watching. ``error`` is kept until the next fetch begins.
    func end() {
        (isCancellable, deadline) = (false, nil)
        if progress != nil { progress = nil }
    }

    /// Returns the result of a test within a statement, or `nil` if the statement must end.
    func answer(_ body: () throws(FetchPredicateError) -> Bool) -> Bool? {
        guard continues(after: 0) else { return nil }
        do {
            return try body()
        } catch {
            self.error = .predicate(error)
            return nil
        }
    }

    private func continues(after instructionCount: Int32) -> Bool {
        if instructionCount > 0 { StepCounter.report(Int(instructionCount)) }
        if isCancellable && Task.isCancelled || progress?.isCancelled == true {
            error = .cancelled
            return false
        }
        guard let deadline, deadline <= .now else { return true }
        error = .deadlineExceeded
        return false
    }
}
