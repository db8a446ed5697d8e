import CairnThreads
import Dispatch

/// A context as other threads and tasks may hold it.
///
/// Contexts and their objects are not `Sendable`, so the compiler keeps them inside of the closure
/// that ``perform(isolation:_:)`` passes the context to:
///
/// ```swift
/// let count = try await handle.perform { context in
///     let song = try context.insertNewObject(forEntityName: "Song")
///     try song.setValue("Blue", forKey: "title")
///     try context.save()
///     return try context.count(for: FetchRequest<ManagedObject>("Song"))
/// }
/// ```
public struct ContextHandle: Sendable {
    private let holder: Holder
    private var queue: ContextQueue { holder.context.queue }
    /// Of the context, and safe from any thread.
    var streams: ContextStreams { holder.context.observers.streams }

    init(_ context: ManagedObjectContext) {
        holder = Holder(context)
    }

    /// Makes a private-queue context on a source.
    package init(source: any ObjectSource, classes: ObjectClasses = ObjectClasses()) {
        self.init(
            ManagedObjectContext(
                source: source, concurrencyType: .privateQueue, classes: classes))
    }

    /// The threads that tasks have turns of the context on, unless it is the main queue's.
    public var executor: TurnExecutor { holder.context.origin.executor }

    /// The context itself, for its child, which uses it in turns.
    var context: ManagedObjectContext { holder.context }
    /// The context itself, for the main actor, which is in its turn already.
    @MainActor var mainQueueContext: ManagedObjectContext { holder.context }

    /// Passes the context to the body in a turn of its own, and returns what the body returns.
    ///
    /// Tasks of the same priority get their turns in the order in which they asked for them; one of
    /// a higher priority may go first. Inside of a turn the body has the context at hand and needs
    /// no other one. Its end ends the event; see ``ManagedObjectContext/processPendingChanges()``.
    ///
    /// A task that is cancelled before its turn comes gets none. Inside of a turn the body finds out
    /// by `Task.isCancelled`, and decides itself. Nothing is interrupted but fetches and counts, which
    /// then throw `GraphError.fetchCancelled`.
    ///
    /// The turn of a private-queue context is on a thread of the coordinator's executor, never on one
    /// of Swift's cooperative pool: so the body may save and fetch, which may wait for a disk or for
    /// others. A task that prefers the executor does not change its thread, and has its turn at once if
    /// nobody waits for the context or for a thread.
    ///
    /// - Throws: the errors of the body; `CancellationError` if the task was cancelled before.
    public func perform<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await queue.perform(isolation: isolation) { [holder] in
            try holder.context.inTurn(body)
        }
    }

    /// Asks for a turn in which the context is passed to the body, and returns at once.
    ///
    /// Turns come in the order of the calls, as those of ``perform(isolation:_:)`` do, with which this
    /// method shares the line. Called inside of a turn of the same context, the body runs after that turn.
    /// The body always runs, also if the calling task is cancelled, and the context stays alive until then.
    /// The thread is the main queue's, or one of the coordinator's executor.
    public func perform(_ body: @escaping @Sendable (ManagedObjectContext) -> Void) {
        queue.enqueue { [holder] in holder.context.inTurn(body) }
    }

    /// Passes the context to the body, and returns when the body did.
    ///
    /// Waits for the turn that is under way, and for threads that came before. Inside of a turn of the
    /// same context it runs at once, as a part of that turn. Runs on the calling thread, and blocks it
    /// while it waits: in a task that is not on the coordinator's executor, use ``perform(isolation:_:)``.
    ///
    /// - Throws: the errors of the body; `GraphError.waitCycle` if the context's turn waits, perhaps
    ///   through other contexts, for the calling one; `GraphError.waitCancelled` if the calling task is
    ///   cancelled while it waits.
    public func performAndWait<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        let (context, queue) = (holder.context, queue)
        if queue.isCurrent { return try body(context) }
        // Without a closure for each step: entering costs as much as the steps.
        if queue.concurrencyType == .privateQueue {
            return try queue.runOwned { try context.inTurn(body) }
        }
        return try queue.performAndWait {
            Swift.Result { try holder.context.inTurn(body) }
        }.get()
    }

    /// Passes the context to the body as ``performAndWait(_:)`` does, with typed errors.
    ///
    /// - Throws: what the body throws; `.waitCycle`, `.waitCancelled`.
    func hop<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws(GraphError) -> Result
    ) throws(GraphError) -> Result {
        if queue.isCurrent {
            holder.context.settle()
            holder.context.remoteChanges.readNewIDs()
            return try body(holder.context)
        }
        return try queue.performAndWait {
            holder.context.inTurn { context -> Swift.Result<Result, GraphError> in
                context.settle()
                do throws(GraphError) {
                    return .success(try body(context))
                } catch {
                    return .failure(error)
                }
            }
        }.get()
    }

    // These never change and are safe from any thread.
    var source: any ObjectSource { holder.context.origin }
    var isMainQueue: Bool { queue.concurrencyType == .mainQueue }
    var parent: ContextHandle? { (holder.context.origin as? ParentSource)?.parent }
    var children: ContextFeed { holder.context.children }
    var objectClasses: ObjectClasses { holder.context.objectClasses }
    var coordinator: PersistentStoreCoordinator? { holder.context.origin.coordinator }

    /// Carries the context to its queue.
    private final class Holder: @unchecked Sendable {
        // Unchecked: the context is touched inside of a turn of its queue only.
        let context: ManagedObjectContext

        init(_ context: ManagedObjectContext) {
            self.context = context
        }

        /// The objects of a main-queue context are on the main queue: it must not end elsewhere
        /// while they are used there.
        deinit {
            guard !context.queue.isCurrent, context.concurrencyType == .mainQueue else { return }
            let last = LastReference(context: context)
            DispatchQueue.main.async { _ = last }
        }
    }

    private struct LastReference: @unchecked Sendable {
        // Unchecked: made to be let go of on the main queue, and for nothing else.
        let context: ManagedObjectContext
    }
}
