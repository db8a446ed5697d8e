import Synchronization

/// The time by which calls to a store must have returned.
///
/// A deadline applies to every call made during ``with(_:_:)``, on the same thread or in a task
/// that was started there, until the body returns. An engine checks the deadline wherever it checks
/// whether its task is cancelled. An engine that waits for a server also uses ``remaining`` as the
/// timeout of its connection.
///
/// A call that passes its deadline throws `.deadlineExceeded`, or returns as it would without a
/// deadline. A save that does not begin because of its deadline holds no lock. A commit that has
/// begun is not ended by its deadline: it completes, or throws `.commitOutcomeUnknown`.
///
/// An engine may close a connection whose answer did not arrive in time. Snapshots and saves that
/// used the connection are then lost. The store connects again with its next call.
public enum StoreDeadline {
    /// A deadline, and whether the body that runs with it has returned. A task that was started in
    /// the body may outlive it.
    private final class Scope: Sendable {
        let deadline: ContinuousClock.Instant
        let isOver = Atomic<Bool>(false)

        init(_ deadline: ContinuousClock.Instant) { self.deadline = deadline }
    }

    @TaskLocal private static var scope: Scope?
    /// The number of bodies in this process that run with a deadline. If it is 0, the task-local
    /// value is not looked up.
    private static let count = Atomic<Int>(0)

    /// The deadline of the calling thread or task, or `nil` if it has no deadline.
    public static var current: ContinuousClock.Instant? {
        guard count.load(ordering: .relaxed) > 0, let scope,
            !scope.isOver.load(ordering: .relaxed)
        else { return nil }
        return scope.deadline
    }

    /// The time that is left until the deadline. Negative if the deadline has passed, `nil` if
    /// there is no deadline.
    public static var remaining: Duration? { current.map { ContinuousClock.now.duration(to: $0) } }

    /// Calls the body with a deadline. If an earlier deadline already applies, that one is kept.
    ///
    /// - Parameters:
    ///   - deadline: the deadline to add. If `nil`, no deadline is added.
    ///   - body: the work to do. It is called once, in the calling task or thread.
    /// - Throws: the error that the body throws.
    public static func with<Result, Failure: Error>(
        _ deadline: ContinuousClock.Instant?, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let deadline else { return try body() }
        let scope = Scope(min(deadline, current ?? deadline))
        count.add(1, ordering: .relaxed)
        defer {
            scope.isOver.store(true, ordering: .relaxed)
            count.subtract(1, ordering: .relaxed)
        }
        // A task-local value passes only untyped errors on, so the body's error travels in a
        // result.
        let result = $scope.withValue(scope) { () -> Swift.Result<Result, Failure> in
            do throws(Failure) {
                return .success(try body())
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Checks the deadline of the calling thread or task.
    ///
    /// - Throws: `.deadlineExceeded` if the deadline has passed.
    public static func check() throws(StoreError) {
        guard let current, current <= .now else { return }
        throw .deadlineExceeded
    }

    /// Returns the earlier of the current deadline and `end`.
    package static func limiting(_ end: ContinuousClock.Instant) -> ContinuousClock.Instant {
        current.map { min($0, end) } ?? end
    }
}
