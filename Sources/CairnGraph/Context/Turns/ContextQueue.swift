import CairnThreads
import Dispatch
import Foundation
import Synchronization

/// Where a context's work is done: on the main queue, or by one thread at a time.
///
/// Tasks wait for a turn in the context's ``TurnLine``, without blocking a thread. The task whose turn
/// it is takes the ``OwnerLock`` on a thread of the executor. Threads that call `performAndWait` wait
/// only for that lock. So the two kinds of callers alternate, and each kind is served in the order in
/// which it came.
@usableFromInline final class ContextQueue: Sendable {
    let concurrencyType: ManagedObjectContext.ConcurrencyType
    @usableFromInline let ownerLock: OwnerLock
    private let line = TurnLine()
    private let connection: ContextConnection
    /// Whose threads tasks have their turns on.
    private var executor: TurnExecutor { connection.executor }
    private let lent = Atomic<Bool>(false)

    /// Whether a save of a main-queue context is under way on another thread. No thread counts as the
    /// owner of the turn meanwhile, so that each access of an object takes the general way, which looks
    /// for the save.
    ///
    /// - Precondition: of setting it, the calling thread serves the main queue.
    var isLent: Bool {
        get { lent.load(ordering: .relaxed) }
        set {
            lent.store(newValue, ordering: .relaxed)
            ownerLock.bind(to: newValue ? 0 : TurnOwner.runningThread)
        }
    }

    /// - Parameters:
    ///   - name: of the context, for messages.
    ///   - connection: of the context, which knows the executor.
    init(
        _ concurrencyType: ManagedObjectContext.ConcurrencyType, name: String,
        on connection: ContextConnection
    ) {
        self.concurrencyType = concurrencyType
        self.connection = connection
        ownerLock = OwnerLock(name: name)
        if concurrencyType == .mainQueue { MainQueue.mark() }
    }

    /// Whether the running thread may touch the context now.
    @inlinable var isCurrent: Bool { ownerLock.isOwned || isMainQueueCurrent() }

    /// The thread that serves the main queue may change: a program without a run loop hands it
    /// from one worker to the next. So a mismatch is checked once more, and the thread noted.
    @usableFromInline func isMainQueueCurrent() -> Bool {
        guard concurrencyType == .mainQueue, MainQueue.isCurrent else { return false }
        if !isLent { ownerLock.bind(to: TurnOwner.runningThread) }
        return true
    }

    /// Runs the body as a turn of its own, after those that tasks of the same priority asked for
    /// before. A task that is cancelled before its turn comes gets none.
    ///
    /// - Throws: `CancellationError`, `.waitCycle`; what the body throws.
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
        // A task that stays on the executor must not keep its thread from others for ever.
        if executor.isCurrent, !executor.hasQueuedWork, line.takeIfFree() {
            defer { line.leave() }
            return try runTurn(body)
        }
        // Before the thread changes, so that turns come in the order of the calls.
        let waiter = line.join()
        return try await withTaskCancellationHandler {
            try await withTaskExecutorPreference(executor.laneOfTask) {
                try await runInTurn(waiter, body)
            }
        } onCancel: {
            waiter.cancel()
        }
    }

    /// Runs the body as a turn of its own, after those that were asked for before. Returns at once.
    func enqueue(_ body: @escaping @Sendable () -> Void) {
        guard concurrencyType == .privateQueue else {
            return DispatchQueue.main.async(execute: body)
        }
        let waiter = line.join()
        // Detached, because a deadline of the caller is not one of the body.
        Task.detached(
            executorPreference: executor.laneOfTask, priority: Task.currentPriority
        ) { [self] in
            // Has its turn in any case: nobody can cancel the task, and its thread owns no lock that
            // the owner of this context could wait for.
            try? await runInTurn(waiter, body)
        }
    }

    /// Waits for the turn, and runs the body in it: on the executor, which the task prefers.
    @concurrent private func runInTurn<Result: Sendable>(
        _ waiter: TurnLine.Waiter, _ body: @Sendable () throws -> Result
    ) async throws -> Result {
        try await waiter.turn()
        defer { line.leave() }
        try Task.checkCancellation()
        return try executor.measuringUse { try runTurn(body) }
    }

    /// Runs the body when threads have left the context. Whether a task waited for them or for other
    /// tasks, it ends with the same error if it is cancelled.
    ///
    /// - Throws: `CancellationError`, `.waitCycle`; what the body throws.
    private func runTurn<Result: Sendable>(_ body: () throws -> Result) throws -> Result {
        do {
            try ownerLock.lock()
        } catch .waitCancelled {
            throw CancellationError()
        }
        defer { ownerLock.unlock() }
        return try body()
    }

    /// Runs the body, and returns when it is done. The body runs at once if the calling thread is in a
    /// turn.
    ///
    /// - Throws: `.waitCycle`, `.waitCancelled`.
    func performAndWait<Result>(
        _ body: () -> Result
    ) throws(GraphError) -> Result {
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

    /// Runs the body while the thread owns the context of a private queue.
    ///
    /// - Throws: `.waitCycle`, `.waitCancelled`; what the body throws.
    @inline(__always) func runOwned<Result>(_ body: () throws -> Result) throws -> Result {
        try ownerLock.lock()
        defer { ownerLock.unlock() }
        return try body()
    }
}
