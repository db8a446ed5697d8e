import Cairn
import Dispatch
import Synchronization

/// A call to a store that waits until the test releases it. ``StoreFaults/hold(_:call:for:)`` creates it.
///
/// The call is also released when this object is deallocated. This type can be used from any thread.
public final class HeldCall: Sendable {
    let gate: Gate

    init(_ operation: StoreOperation, limit: Duration) {
        gate = Gate(operation, limit)
    }

    deinit { gate.open(throwing: nil) }

    /// Whether the call was made. Stays `true` after the call is released.
    public var isReached: Bool { gate.isReached }

    /// Waits until the call is made. Does not block a thread.
    ///
    /// - Parameter limit: The maximum time to wait.
    /// - Throws: ``NotReached`` if the call is not made in time; `CancellationError`.
    public func reached(within limit: Duration = .seconds(10)) async throws {
        let end = ContinuousClock.now + limit
        while !isReached {
            if ContinuousClock.now >= end { throw NotReached(operation: gate.operation) }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Lets the call continue. Has no effect if the call was already released.
    ///
    /// If the call was not made yet, it will not be held when it is made.
    ///
    /// - Parameter error: The error that the call throws. `nil` lets the call do its work.
    public func release(throwing error: StoreError? = nil) { gate.open(throwing: error) }

    /// The error that is thrown if the call that a test waits for is not made in time.
    public struct NotReached: Error, Sendable, CustomStringConvertible {
        /// The operation whose call the test waited for.
        package let operation: StoreOperation

        /// A text that names the operation.
        public var description: String {
            "The operation “\(operation)” was not called in time."
        }
    }

    /// The gate at which the call waits. It does not keep the ``HeldCall`` alive.
    final class Gate: Sendable {
        private enum Passage {
            case shut
            case open
            case failing(StoreError)
        }

        /// The interval at which a waiting call checks whether it must end early.
        private static let slice: DispatchTimeInterval = .milliseconds(10)

        let operation: StoreOperation
        private let limit: Duration
        private let state = Mutex((isReached: false, passage: Passage.shut))
        private let opened = DispatchSemaphore(value: 0)

        init(_ operation: StoreOperation, _ limit: Duration) {
            (self.operation, self.limit) = (operation, limit)
        }

        var isReached: Bool { state.withLock { $0.isReached } }

        func open(throwing error: StoreError?) {
            let isFirst = state.withLock { state in
                guard case .shut = state.passage else { return false }
                state.passage = error.map(Passage.failing) ?? .open
                return true
            }
            if isFirst { opened.signal() }
        }

        /// Waits until the gate is opened.
        ///
        /// - Throws: The error with which the gate was opened; `.engineFailure` if the gate is not opened in
        ///   time; `.cancelled` or `.deadlineExceeded` if the operation allows that error.
        func wait(_ call: InjectedFault) throws(StoreError) {
            state.withLock { $0.isReached = true }
            let end = ContinuousClock.now + limit
            try TurnExecutor.whileWaiting { () throws(StoreError) in
                while opened.wait(timeout: .now() + Self.slice) == .timedOut {
                    if operation.isCancellable, Task.isCancelled { throw .cancelled }
                    if operation.observesDeadline { try StoreDeadline.check() }
                    guard ContinuousClock.now < end else {
                        throw .engineFailure(
                            call.failure(
                                "the test held the call for longer than its limit, \(limit)"))
                    }
                }
            }
            if case .failing(let error) = state.withLock({ $0.passage }) { throw error }
        }
    }
}
