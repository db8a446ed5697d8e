import CairnModel
import CairnStack
import CairnThreads
import Dispatch

/// A reference to a context that can be passed to other threads and tasks.
///
/// Contexts and their objects are not `Sendable`, so the compiler keeps them inside the closure that is
/// passed to ``perform(isolation:_:)``:
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
    /// The context's streams, which can be used from any thread.
    var streams: ContextStreams { holder.context.observers.streams }

    package init(_ context: ManagedObjectContext) {
        holder = Holder(context)
    }

    /// Creates a private-queue context that uses a source.
    package init(source: any ObjectSource, classes: ObjectClasses = ObjectClasses()) {
        self.init(
            ManagedObjectContext(
                source: source, concurrencyType: .privateQueue, classes: classes))
    }

    /// The executor whose threads run the turns of tasks, unless the context belongs to the main queue.
    public var executor: TurnExecutor { holder.context.origin.executor }

    /// The context itself, for its children, which use it in its turns.
    var context: ManagedObjectContext { holder.context }
    /// The context itself, for the main actor, which is already in the context's turn.
    @MainActor package var mainQueueContext: ManagedObjectContext { holder.context }

    /// Runs a closure with the context in a turn, and returns the closure's result.
    ///
    /// Tasks of the same priority get their turns in the order in which they asked for them; a task of a
    /// higher priority may go first. The event ends when the turn ends; see
    /// ``ManagedObjectContext/processPendingChanges()``.
    ///
    /// A task that is cancelled before its turn begins does not get a turn. During a turn, the closure
    /// can check `Task.isCancelled` and decide how to react. Only fetches and counts are interrupted;
    /// they then throw `GraphError.fetchCancelled`.
    ///
    /// The turns of a private-queue context run on a thread of the coordinator's executor, never on a
    /// thread of Swift's cooperative pool. The closure may therefore save and fetch, which can wait for
    /// a disk or for other threads. A task that prefers this executor stays on its thread, and has its
    /// turn immediately if nothing else waits for the context or for a thread.
    ///
    /// - Throws: The error that `body` throws, or `CancellationError` if the task was cancelled before
    ///   its turn.
    public func perform<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await queue.perform(isolation: isolation) { [holder] in
            try holder.context.inTurn(body)
        }
    }

    /// Schedules a turn in which a closure runs with the context, and returns immediately.
    ///
    /// Turns run in the order of the calls, in one queue together with the turns of
    /// ``perform(isolation:_:)``. If this method is called during a turn of the same context, the
    /// closure runs after that turn. The closure always runs, even if the calling task is cancelled, and
    /// the context stays alive until then. It runs on the main queue, or on a thread of the
    /// coordinator's executor.
    public func perform(_ body: @escaping @Sendable (ManagedObjectContext) -> Void) {
        queue.enqueue { [holder] in holder.context.inTurn(body) }
    }

    /// Runs a closure with the context, and returns the closure's result when it is done.
    ///
    /// Waits for the current turn and for threads that asked earlier. During a turn of the same context,
    /// the closure runs immediately, as a part of that turn. For a private-queue context, the closure
    /// runs on the calling thread. The calling thread is blocked while it waits; in a task that does not
    /// run on the coordinator's executor, use ``perform(isolation:_:)`` instead.
    ///
    /// - Throws: The error that `body` throws; `GraphError.waitCycle` if the context's current turn
    ///   waits for the calling turn, directly or through other contexts; `GraphError.waitCancelled` if
    ///   the calling task is cancelled while it waits.
    public func performAndWait<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        let (context, queue) = (holder.context, queue)
        if queue.isCurrent { return try body(context) }
        // Use no closure for each step: calling closures would cost as much as the steps.
        if queue.concurrencyType == .privateQueue {
            return try queue.runOwned { try context.inTurn(body) }
        }
        return try queue.performAndWait {
            Swift.Result { try holder.context.inTurn(body) }
        }.get()
    }

    /// Runs a closure with the context as ``performAndWait(_:)`` does, but with typed errors.
    ///
    /// - Throws: The error that `body` throws; `.waitCycle`, `.waitCancelled`.
    func performAndWaitTyped<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws(GraphError) -> Result
    ) throws(GraphError) -> Result {
        if queue.isCurrent {
            holder.context.settle()
            holder.context.remoteChanges.readNewIDs()
            return try body(holder.context)
        }
        return try queue.performAndWait {
            holder.context.inTurn(isOfChild: true) { context -> Swift.Result<Result, GraphError> in
                context.settle()
                do throws(GraphError) {
                    return .success(try body(context))
                } catch {
                    return .failure(error)
                }
            }
        }.get()
    }

    // The following properties never change and can be read from any thread.
    var source: any ObjectSource { holder.context.origin }
    var isMainQueue: Bool { queue.concurrencyType == .mainQueue }
    var parent: ContextHandle? { (holder.context.origin as? ParentSource)?.parent }
    var children: ContextFeed { holder.context.children }
    var objectClasses: ObjectClasses { holder.context.objectClasses }
    var coordinator: PersistentStoreCoordinator? { holder.context.origin.coordinator }

    /// Passes the context between threads.
    private final class Holder: @unchecked Sendable {
        // Unchecked: the context is only used in turns of its queue.
        let context: ManagedObjectContext

        init(_ context: ManagedObjectContext) {
            self.context = context
        }

        /// The main queue may be using the context's objects, so a main-queue context must be
        /// deallocated on the main queue.
        deinit {
            guard !context.queue.isCurrent, context.concurrencyType == .mainQueue else { return }
            let last = LastReference(context: context)
            DispatchQueue.main.async { _ = last }
        }
    }

    private struct LastReference: @unchecked Sendable {
        // Unchecked: the context is only released, on the main queue.
        let context: ManagedObjectContext
    }
}

extension ContextHandle {
    /// Creates a private-queue context that uses a coordinator.
    ///
    /// - Parameters:
    ///   - coordinator: The coordinator that the context fetches from and saves to.
    ///   - classes: The Swift classes of the model's entities.
    ///   - name: The context's name in messages and in the store's history.
    public init(
        coordinator: PersistentStoreCoordinator, classes: ObjectClasses = ObjectClasses(),
        name: String? = nil
    ) {
        self.init(
            ManagedObjectContext(
                source: coordinator, concurrencyType: .privateQueue, name: name, classes: classes))
    }

    /// Creates a private-queue context whose objects come from another context and whose saves go to
    /// that context. See ``ManagedObjectContext/init(parent:)``.
    ///
    /// A call of the child that needs the parent waits for a turn of the parent. A turn of the parent
    /// must therefore never wait for another thread that uses the child.
    ///
    /// - Parameters:
    ///   - parent: The context that the new context fetches from and saves to. It is kept alive.
    ///   - name: The context's name in messages and in the store's history.
    public init(parent: ContextHandle, name: String? = nil) {
        let inbox = ContextInbox()
        self.init(
            ManagedObjectContext(
                source: ParentSource(parent, for: inbox), concurrencyType: .privateQueue,
                name: name, classes: parent.objectClasses, inbox: inbox))
    }
}
