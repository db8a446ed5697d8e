import CairnCSQLite
import CairnModel
import CairnStore

/// Whether the statement that a connection runs belongs to a fetch, and why such a statement was stopped.
///
/// SQLite calls the watch within a step: a fetch may be one step long. A statement that is stopped is
/// reset, and its connection and read transaction can be used as before (sqlite.org/c3ref/interrupt.html).
final class FetchWatch {
    private var isCancellable = false
    /// The deadline of the fetch whose statement runs.
    private var deadline: ContinuousClock.Instant?
    /// Why a statement of the last fetch was stopped: `.predicate`, `.cancelled` or `.deadlineExceeded`.
    /// `nil` if none was.
    private(set) var error: StoreError?

    /// How many instructions of a statement run between two looks at the task: some hundred rows.
    private static let instructionsPerLook: Int32 = 10_000

    /// Makes the watch known to its connection.
    ///
    /// - Precondition: the connection holds the watch, and is closed before it lets go of it.
    func attach(to handle: OpaquePointer) {
        sqlite3_progress_handler(
            handle, Self.instructionsPerLook,
            { watch in
                guard let watch else { return 0 }
                return FetchWatch.of(watch).continues(after: FetchWatch.instructionsPerLook) ? 0 : 1
            }, userData)
    }

    /// What functions of the connection find the watch by.
    var userData: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// The watch that a function of the connection was given.
    static func of(_ userData: UnsafeMutableRawPointer) -> FetchWatch {
        Unmanaged<FetchWatch>.fromOpaque(userData).takeUnretainedValue()
    }

    /// Begins to watch the statements of a fetch.
    func begin(_ plan: FetchPlan) {
        isCancellable = plan.isCancellable
        deadline = StoreDeadline.current
        error = nil
    }

    /// Ends what ``begin(_:)`` began. The ``error`` stays until the next fetch begins.
    func end() { (isCancellable, deadline) = (false, nil) }

    /// Returns the answer of a test within a statement; `nil` if that ends the statement.
    func answer(_ body: () throws(FetchPredicateError) -> Bool) -> Bool? {
        guard continues(after: 0) else { return nil }
        do throws(FetchPredicateError) {
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
