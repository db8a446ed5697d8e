import Synchronization

/// The moment by which the calls to a store must have answered.
///
/// A deadline holds for every call that is made inside of ``with(_:_:)``, on the same thread or in a
/// task that was started there, until the body returns. An engine looks at it where it looks at the
/// cancellation of a task. An engine that waits for a server also makes ``remaining`` the timeout of
/// its connection.
///
/// A call after its deadline throws `.deadlineExceeded`, or answers as it would without one. A save that
/// does not begin for that reason holds no lock. A commit that has begun is not ended by its deadline:
/// it goes on, or throws `.commitOutcomeUnknown`.
///
/// An engine may close a connection whose answer did not come in time. Snapshots and saves that used
/// the connection are lost then; the store connects again with its next call.
public enum StoreDeadline {
    /// A deadline, and whether the body that runs with it has returned: a task may outlive the body.
    private final class Scope: Sendable {
        let deadline: ContinuousClock.Instant
        let isOver = Atomic<Bool>(false)

        init(_ deadline: ContinuousClock.Instant) { self.deadline = deadline }
    }

    @TaskLocal private static var scope: Scope?
    /// How many bodies run with a deadline in this process: if none does, nothing is looked up.
    private static let count = Atomic<Int>(0)

    /// The deadline of the calling thread or task. `nil` if there is none.
    public static var current: ContinuousClock.Instant? {
        guard count.load(ordering: .relaxed) > 0, let scope,
            !scope.isOver.load(ordering: .relaxed)
        else { return nil }
        return scope.deadline
    }

    /// How much time is left. Negative if the deadline has passed, `nil` if there is none.
    public static var remaining: Duration? { current.map { ContinuousClock.now.duration(to: $0) } }

    /// Calls the body with a deadline. An earlier deadline that holds already stays.
    ///
    /// - Parameter deadline: `nil` adds none.
    /// - Throws: what the body throws.
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
        // A task local passes untyped errors on only.
        let result = $scope.withValue(scope) { () -> Swift.Result<Result, Failure> in
            do throws(Failure) {
                return .success(try body())
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Ends a call whose deadline has passed.
    ///
    /// - Throws: `.deadlineExceeded`.
    public static func check() throws(StoreError) {
        guard let current, current <= .now else { return }
        throw .deadlineExceeded
    }

    /// The deadline, if that is earlier than the end of a wait; otherwise the end of the wait.
    public static func limiting(_ end: ContinuousClock.Instant) -> ContinuousClock.Instant {
        current.map { min($0, end) } ?? end
    }
}
