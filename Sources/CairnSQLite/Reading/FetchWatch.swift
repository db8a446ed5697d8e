import CairnCSQLite
import CairnModel
import CairnStore

/// Stops the statements of a fetch when the fetch is cancelled or its deadline passes, and records
/// why.
///
/// SQLite calls the watch during a step, because a single step may be the whole fetch. A stopped
/// statement is reset, and its connection and read transaction remain usable
/// (sqlite.org/c3ref/interrupt.html).
final class FetchWatch {
    private var isCancellable = false
    /// The deadline of the fetch whose statement is running.
    private var deadline: ContinuousClock.Instant?
    /// Why a statement of the latest fetch was stopped: `.predicate`, `.cancelled` or
    /// `.deadlineExceeded`. `nil` if no statement was stopped.
    private(set) var error: StoreError?

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

    /// The pointer by which functions of the connection find the watch.
    var userData: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// Returns the watch for the pointer that a function of the connection received.
    static func of(_ userData: UnsafeMutableRawPointer) -> FetchWatch {
        Unmanaged<FetchWatch>.fromOpaque(userData).takeUnretainedValue()
    }

    /// Starts to watch the statements of a fetch.
    func begin(_ plan: FetchPlan) {
        isCancellable = plan.isCancellable
        deadline = StoreDeadline.current
        error = nil
    }

    /// Stops watching. ``error`` is kept until the next fetch begins.
    func end() { (isCancellable, deadline) = (false, nil) }

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
        if isCancellable, Task.isCancelled {
            error = .cancelled
            return false
        }
        guard let deadline, deadline <= .now else { return true }
        error = .deadlineExceeded
        return false
    }
}
