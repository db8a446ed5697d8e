import Dispatch
import Synchronization

/// Work that another thread of an executor may do at the same time. If no other thread has begun
/// when the result is needed, the thread that needs it does the work itself. Therefore the work
/// never waits for a thread.
package final class ConcurrentWork<Value: Sendable, Failure: Error>: Sendable {
    private enum Stage {
        case waiting(@Sendable () throws(Failure) -> Value)
        case running
        case done(Result<Value, Failure>)
        case dropped
    }

    private let stage: Mutex<Stage>
    private let isDone = DispatchSemaphore(value: 0)
    /// The task that does the work, unless another thread has begun it.
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// Offers the work to the threads of an executor. The work runs in a task of its own, with the
    /// priority and the task-local values of the caller.
    ///
    /// Call ``result(cancellable:)`` or ``end()`` before anything that the body uses becomes
    /// invalid.
    package init(on executor: TurnExecutor, _ body: @escaping @Sendable () throws(Failure) -> Value)
    {
        stage = Mutex(.waiting(body))
        let task = Task(executorPreference: executor, priority: Task.currentPriority) {
            guard let body = self.begin() else { return }
            self.run(body)
            self.isDone.signal()
        }
        self.task.withLock { $0 = task }
    }

    /// Returns the result of the body. Waits for it, or calls the body on this thread.
    ///
    /// - Parameter cancellable: whether cancelling the calling task also cancels the work's task.
    /// - Throws: the error that the body threw.
    /// - Precondition: this method is called only once, and not after ``end()``.
    package func result(cancellable: Bool) throws(Failure) -> Value {
        if let body = begin() {
            run(body)
        } else {
            wait(cancellable: cancellable)
        }
        guard case .done(let result) = stage.withLock({ $0 }) else {
            preconditionFailure("the work was ended before its result was requested")
        }
        return try result.get()
    }

    /// Makes sure that no thread is doing the work. Work that has not begun is dropped. Work that
    /// has begun is cancelled and waited for.
    package func end() {
        let isRunning = stage.withLock { stage in
            switch stage {
            case .running: return true
            case .waiting: stage = .dropped
            case .done, .dropped: break
            }
            return false
        }
        guard isRunning else { return }
        task.withLock { $0 }?.cancel()
        wait(cancellable: false)
    }

    private func begin() -> (@Sendable () throws(Failure) -> Value)? {
        stage.withLock { stage in
            guard case .waiting(let body) = stage else { return nil }
            stage = .running
            return body
        }
    }

    private func run(_ body: @Sendable () throws(Failure) -> Value) {
        let result = Result(catching: body)
        stage.withLock { $0 = .done(result) }
    }

    /// Waits for the other thread. Work that has begun always ends, because its body checks for
    /// cancellation.
    private func wait(cancellable: Bool) {
        TurnExecutor.whileWaiting {
            let wait = CancellableWait(until: nil)
            while isDone.wait(timeout: wait.nextTimeout) != .success {
                if cancellable, wait.ending == .cancelled { task.withLock { $0 }?.cancel() }
            }
        }
    }
}
