import CairnStack
import CairnThreads
import Dispatch
import Foundation
import Synchronization

/// Runs a context's turns: on the main queue, or by one thread at a time.
///
/// Tasks wait for a turn in the context's ``TurnQueue``, without blocking a thread. The task that gets the
/// turn takes the ``OwnerLock`` on a thread of the executor. Threads that call `performAndWait` wait only for
/// that lock. Therefore tasks and threads alternate, and both are served in the order in which they began to
/// wait.
@usableFromInline final class ContextQueue: Sendable {
    let concurrencyType: ManagedObjectContext.ConcurrencyType
    @usableFromInline let ownerLock: OwnerLock
    /// Whether a thread that uses the context owns it. The program then lets one thread at a time use it.
    let isConfined: Bool
    private let line = TurnQueue()
    private let connection: ContextConnection
    /// The executor whose threads run the turns of tasks.
    private var executor: TurnExecutor { connection.executor }
    private let lent = Atomic<Bool>(false)

    /// Whether a save of a main-queue context is in progress on another thread. Meanwhile no thread
    /// counts as the owner of the turn, so each access to an object takes the slow path, which checks
    /// for the save.
    ///
    /// - Precondition: To set this property, the calling thread must serve the main queue.
    var isSavingOnOtherThread: Bool {
        get { lent.load(ordering: .relaxed) }
        set {
            lent.store(newValue, ordering: .relaxed)
            ownerLock.bind(to: newValue ? 0 : TurnOwner.runningThread)
        }
    }

    /// - Parameters:
    ///   - name: The context's name, for messages.
    ///   - connection: The context's connection, which provides the executor.
    ///   - isConfined: Whether a thread that uses the context owns it.
    init(
        _ concurrencyType: ManagedObjectContext.ConcurrencyType, name: String,
        on connection: ContextConnection, isConfined: Bool
    ) {
        self.isConfined = isConfined
        self.concurrencyType = concurrencyType
        self.connection = connection
        ownerLock = OwnerLock(name: name)
        if concurrencyType == .mainQueue { MainQueue.mark() }
    }

    /// Whether the running thread may use the context now.
    @inlinable var isCurrent: Bool { ownerLock.isOwned || takesRunningThread() }

    /// Returns whether the running thread serves the main queue or the context is confined, and records the
    /// thread. That thread may change: a program without a run loop passes the main queue from one worker thread
    /// to the next. A mismatch of threads is therefore not final until it has been checked here.
    @usableFromInline func takesRunningThread() -> Bool {
        guard isConfined || concurrencyType == .mainQueue && MainQueue.isCurrent else {
            return false
        }
        if !isSavingOnOtherThread { ownerLock.bind(to: TurnOwner.runningThread) }
        return true
    }

    /// Runs a closure in a turn of its own, after the turns that tasks of the same priority asked for
    /// earlier. If the task is cancelled before its turn, the closure does not run.
    ///
    /// - Throws: `CancellationError`, `.waitCycle`; the error that `body` throws.
    func perform<Result: Sendable>(
        isolation: isolated (any Actor)?, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        if concurrencyType == .mainQueue {
            return try await MainActor.run {
                try Task.checkCancellation()
                return try body()
            }
        }
        try Task.checkCancellation()
        let executor = executor
        // A task that stays on the executor must not occupy its thread if other work is waiting.
        if executor.isCurrent, !executor.hasQueuedWork, line.takeIfFree() {
            defer { line.leave() }
            return try runTurn(body)
        }
        // Join before the thread changes, so that turns come in the order of the calls.
        let waiter = line.join()
        return try await withTaskCancellationHandler {
            try await withTaskExecutorPreference(executor.laneOfTask) {
                try await runInTurn(waiter, body)
            }
        } onCancel: {
            waiter.cancel()
        }
    }

    /// Schedules a closure to run in a turn of its own, after the turns that were asked for earlier.
    /// Returns immediately.
    func enqueue(_ body: @escaping @Sendable () -> Void) {
        guard concurrencyType == .privateQueue else {
            return DispatchQueue.main.async(execute: body)
        }
        let waiter = line.join()
        // Detached, because the caller's deadline does not apply to the closure.
        Task.detached(
            executorPreference: executor.laneOfTask, priority: Task.currentPriority
        ) { [self] in
            // The closure always gets its turn: nothing can cancel the task, and its thread owns no lock
            // that the owner of this context could wait for.
            try? await runInTurn(waiter, body)
        }
    }

    /// Waits for the turn, and runs the closure in it on the executor, which the task prefers.
    @concurrent private func runInTurn<Result: Sendable>(
        _ waiter: TurnQueue.Waiter, _ body: @Sendable () throws -> Result
    ) async throws -> Result {
        try await waiter.turn()
        defer { line.leave() }
        try Task.checkCancellation()
        return try executor.runTurn { try runTurn(body) }
    }

    /// Waits until no thread owns the context, and then runs a closure. A task that is cancelled while it
    /// waits for a thread gets the same error as one that waits for another task.
    ///
    /// - Throws: `CancellationError`, `.waitCycle`; the error that `body` throws.
    private func runTurn<Result: Sendable>(_ body: () throws -> Result) throws -> Result {
        do {
            try ownerLock.lock()
        } catch .waitCancelled {
            throw CancellationError()
        }
        defer { ownerLock.unlock() }
        return try body()
    }

    /// Runs a closure, and returns when it is done. If the calling thread is in a turn, the closure runs
    /// immediately.
    ///
    /// - Throws: `.waitCycle`, `.waitCancelled`.
    func performAndWait<Result>(_ body: () -> Result) throws(GraphError) -> Result {
        if isCurrent { return body() }
        guard concurrencyType == .mainQueue else {
            try ownerLock.lock()
            defer { ownerLock.unlock() }
            return body()
        }
        let thread = TurnOwner.runningThread
        try WaitGraph.shared.begin(thread, waitingFor: ownerLock)
        defer { WaitGraph.shared.end(thread) }
        return TurnExecutor.whileWaiting { DispatchQueue.main.sync(execute: body) }
    }

    /// Runs a closure while the calling thread owns a private-queue context.
    ///
    /// - Throws: `.waitCycle`, `.waitCancelled`; the error that `body` throws.
    @inline(__always) func runOwned<Result>(_ body: () throws -> Result) throws -> Result {
        try ownerLock.lock()
        defer { ownerLock.unlock() }
        return try body()
    }
}
