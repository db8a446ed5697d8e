import Dispatch
import Foundation
import Synchronization

/// Where a context's work is done: on the main queue, or by one thread at a time.
@usableFromInline final class ContextQueue: Sendable {
    let concurrencyType: ManagedObjectContext.ConcurrencyType
    @usableFromInline let ownerLock: OwnerLock
    private let turns = Turns()

    /// Gives asynchronous turns their order.
    private actor Turns {
        func run<Result: Sendable>(_ body: @Sendable () throws -> Result) rethrows -> Result {
            try body()
        }
    }

    /// - Parameter name: of the context, for messages.
    init(_ concurrencyType: ManagedObjectContext.ConcurrencyType, name: String) {
        self.concurrencyType = concurrencyType
        ownerLock = OwnerLock(name: name)
        if concurrencyType == .mainQueue { MainQueue.mark() }
    }

    /// Whether the running thread may touch the context now.
    @inlinable var isCurrent: Bool { ownerLock.isOwned || isMainQueueCurrent() }

    /// The thread that serves the main queue may change: a program without a run loop hands it
    /// from one worker to the next. So a mismatch is checked once more, and the thread noted.
    @usableFromInline func isMainQueueCurrent() -> Bool {
        guard concurrencyType == .mainQueue, MainQueue.isCurrent else { return false }
        ownerLock.bind(to: currentThreadNumber())
        return true
    }

    /// Runs the body as a turn of its own, behind those that tasks of the same priority asked for
    /// before. Whoever is cancelled before the turn comes gets none.
    ///
    /// - Throws: `CancellationError`, `.waitCycle`; what the body throws.
    func perform<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        switch concurrencyType {
        case .mainQueue:
            try await MainActor.run {
                try Task.checkCancellation()
                return try body()
            }
        case .privateQueue:
            try await turns.run {
                try Task.checkCancellation()
                return try self.runOwned(body)
            }
        }
    }

    /// Runs the body and returns when it is done; at once where the running thread is in a turn.
    ///
    /// - Throws: `.waitCycle`.
    func performAndWait<Result: Sendable>(
        _ body: @Sendable () -> Result
    ) throws(GraphError) -> Result {
        if isCurrent { return body() }
        guard concurrencyType == .mainQueue else {
            try ownerLock.lock()
            defer { ownerLock.unlock() }
            return body()
        }
        let thread = currentThreadNumber()
        try WaitGraph.shared.begin(thread, waitingFor: ownerLock)
        defer { WaitGraph.shared.end(thread) }
        return DispatchQueue.main.sync(execute: body)
    }

    /// Runs the body while the thread owns the context of a private queue.
    ///
    /// - Throws: `.waitCycle`; what the body throws.
    @inline(__always) func runOwned<Result>(_ body: () throws -> Result) throws -> Result {
        try ownerLock.lock()
        defer { ownerLock.unlock() }
        return try body()
    }
}

/// Tells whether the running thread serves the main queue.
enum MainQueue {
    private static let key = DispatchSpecificKey<Bool>()
    private static let marked: Void = DispatchQueue.main.setSpecific(key: key, value: true)

    static func mark() { marked }

    static var isCurrent: Bool {
        Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true
    }
}
