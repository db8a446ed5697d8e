internal import CairnThreads
internal import Synchronization

/// An actor that has a context of its own. The macro ``ModelActor(disableGenerateInit:)`` makes an actor conform.
///
/// The actor's calls run on threads that may wait for a disk, never on those of Swift's cooperative pool.
public protocol ModelActor: Actor {
    /// The container whose stores the actor uses.
    nonisolated var modelContainer: ModelContainer { get }
    /// The executor of the actor, which owns the context.
    nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
    /// The executor on which the actor's calls run.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        modelExecutor.asUnownedSerialExecutor()
    }

    /// The actor's context.
    public var modelContext: ModelContext { modelExecutor.modelContext }

    /// Returns the model with an identifier, with its values. Returns `nil` if no store contains it, or if its class is
    /// another one.
    public subscript<Model: PersistentModel>(
        id: PersistentIdentifier, as type: Model.Type
    ) -> Model? { modelContext.existingModel(id) }
}

/// The executor of a ``ModelActor``.
public protocol ModelExecutor: SerialExecutor {
    /// The context that only the executor's jobs use.
    var modelContext: ModelContext { get }
}

/// The executor that ``ModelActor(disableGenerateInit:)`` gives an actor. It runs one job at a time, on Cairn's threads.
public final class DefaultSerialModelExecutor: ModelExecutor, @unchecked Sendable {
    // Unchecked: only the jobs use the context, and one of them runs at a time.

    /// The context that only the executor's jobs use.
    public let modelContext: ModelContext
    private let waiting = Mutex<(jobs: [UnownedJob], isRunning: Bool)>(([], false))

    /// Creates an executor that owns a context.
    ///
    /// - Parameter modelContext: The context. The caller must not use it afterwards.
    public init(modelContext: ModelContext) { self.modelContext = modelContext }

    /// Runs a job after those that were added earlier.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFirst = waiting.withLock { waiting in
            waiting.jobs.append(job)
            defer { waiting.isRunning = true }
            return !waiting.isRunning
        }
        guard isFirst else { return }
        Task.detached(executorPreference: modelContext.stack.coordinator.executor.laneOfTask) {
            self.run()
        }
    }

    private func run() {
        while true {
            let jobs = waiting.withLock { waiting in
                defer { waiting.jobs = [] }
                waiting.isRunning = !waiting.jobs.isEmpty
                return waiting.jobs
            }
            if jobs.isEmpty { return }
            for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
        }
    }
}
