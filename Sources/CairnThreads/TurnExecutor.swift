import Foundation
import Synchronization

/// The threads on which contexts have their turns. These threads may wait for a lock or a disk,
/// which threads of Swift's cooperative pool must not do.
///
/// The number of threads is limited by ``ThreadLimits``. Threads are created when there is work,
/// and end when there is no work. While a thread waits for a lock, another one does work instead.
/// Work is started by priority. Within a priority, tasks that have recently used little processor
/// time for turns go first, and tasks with equal use go in the order in which they began to wait.
/// One of every eight jobs is the oldest one, so that no job waits forever.
///
/// A coordinator creates its own executor unless it is given one. A task that prefers the executor
/// stays on its threads, and enters contexts without changing the thread:
///
/// ```swift
/// Task(executorPreference: container.executor) {
///     for try await order in orders {
///         try await handle.perform { try $0.take(order) }
///     }
/// }
/// ```
public final class TurnExecutor: TaskExecutor {
    /// The limits for the number of threads, as given when the executor was created.
    public let limits: ThreadLimits
    private let pool: ThreadPool
    /// The executors that tasks prefer for their turns, those of tasks with little recent use first.
    private let lanes: [Lane]
    /// What each task has used recently, by the task's hash. Tasks with the same entry count as one
    /// task.
    private let uses = Mutex([Use](repeating: Use(), count: 1024))

    /// Creates an executor.
    ///
    /// - Parameters:
    ///   - name: the name of its threads, for debuggers and profilers.
    ///   - limits: the limits for the number of threads.
    public init(name: String = "cairn", limits: ThreadLimits = ThreadLimits()) {
        self.limits = limits
        pool = ThreadPool(name: name, limits: limits)
        lanes = (0..<Lane.count).map { [pool] in Lane(pool, number: $0) }
    }

    /// Threads that have work finish it before they end.
    deinit { pool.end() }

    /// The current state of the threads. The cost is locking a mutex.
    public var load: ThreadLoad { pool.load }

    /// Whether the calling thread belongs to this executor.
    package var isCurrent: Bool { PoolThread.current?.pool === pool }

    /// Whether work is waiting for a thread. The cost is one load.
    package var hasQueuedWork: Bool { pool.hasQueuedWork }

    /// The number of processors that the process may use.
    package var processorCount: Int { ThreadPool.processorCount }

    /// Whether new work would begin immediately, on a processor that none of the threads uses. The
    /// cost is locking a mutex.
    package var hasFreeProcessor: Bool { pool.hasFreeProcessor }

    /// Runs a job of a task on one of the threads. Called by Swift.
    public func enqueue(_ job: consuming ExecutorJob) {
        // In the middle of the lanes, because nothing is recorded for tasks that prefer the executor itself.
        let priority = Int(job.priority.rawValue) * Lane.count - Lane.count / 2
        pool.submit(PoolWork(job: UnownedJob(job), executor: self), priority: priority)
    }

    /// The processor time that a task has recently used for turns. It counts half after each 100 ms.
    private struct Use {
        private var time: Duration = .zero
        private var noted: ContinuousClock.Instant = .now

        private var current: Duration {
            time / pow(2, noted.duration(to: .now) / .milliseconds(100))
        }

        /// Lane 0 is for less than 0.1 ms. The lower bound of each other lane is twice that of the lane
        /// before.
        var lane: Int {
            let units = UInt64(max(0, current / .microseconds(100)))
            return min(UInt64.bitWidth - units.leadingZeroBitCount, Lane.count - 1)
        }

        mutating func add(_ used: Duration) {
            (time, noted) = (current + used, .now)
        }
    }

    /// An executor on the same threads, for tasks that have recently used about the same time.
    private final class Lane: TaskExecutor {
        static let count = 12
        private let pool: ThreadPool
        private let number: Int

        init(_ pool: ThreadPool, number: Int) {
            self.pool = pool
            self.number = number
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let priority = Int(job.priority.rawValue) * Self.count - number
            pool.submit(PoolWork(job: UnownedJob(job), executor: self), priority: priority)
        }
    }

    /// The executor that the calling task should prefer for a turn.
    package var laneOfTask: any TaskExecutor {
        lanes[uses.withLock { $0[Self.entryOfTask].lane }]
    }

    /// Runs a turn of the calling task, and records the processor time that it uses. The task must
    /// leave the lane right afterwards.
    ///
    /// The time of a turn that waits counts only a quarter, for example that of a save that waits
    /// for the disk: such a turn uses the processor little, and other savers wait for it.
    ///
    /// - Throws: the error that the body throws.
    package func runTurn<Value>(_ body: () throws -> Value) rethrows -> Value {
        let thread = PoolThread.current
        let (start, waits) = (Self.processorTime, thread?.waitCount)
        defer {
            let used = Self.processorTime - start
            let counted = thread?.waitCount == waits ? used : used / 4
            uses.withLock { $0[Self.entryOfTask].add(counted) }
            thread?.isFinishing.store(true, ordering: .relaxed)
        }
        return try body()
    }

    private static var entryOfTask: Int {
        Int(UInt(bitPattern: withUnsafeCurrentTask { $0?.hashValue ?? 0 }) % 1024)
    }

    /// The processor time that the calling thread has used.
    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Runs a body that waits for a disk or for other threads on one of the executor's threads, as
    /// part of the calling task.
    ///
    /// - Throws: the error that the body throws.
    package func runWaiting<Value: Sendable, Failure: Error>(
        _ body: @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await withTaskExecutorPreference(self) { () async throws(Failure) -> Value in
            try await Self.runHere { () throws(Failure) in try Self.whileWaiting(body) }
        }
    }

    /// Runs the body where the task prefers to run. This function is not isolated, so that holds
    /// even if the caller is isolated to an actor.
    @concurrent private static func runHere<Value: Sendable, Failure: Error>(
        _ body: @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try body()
    }

    /// Runs a body that waits for a lock or a disk. If the calling thread belongs to an executor,
    /// another thread may do its work in the meantime. On any other thread, this method only runs
    /// the body.
    ///
    /// - Parameter toSave: whether the body waits for its turn to save to a store. The thread then
    ///   does not count towards ``ThreadLimits/total``, so that savers leave threads to readers.
    /// - Throws: the error that the body throws.
    @inline(__always) package static func whileWaiting<Value, Failure: Error>(
        toSave: Bool = false, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let thread = PoolThread.current
        thread?.beginWaiting(toSave: toSave)
        defer { thread?.endWaiting(toSave: toSave) }
        return try body()
    }
}

/// The limits for the number of threads of an executor.
public struct ThreadLimits: Sendable, Hashable {
    /// The maximum number of threads that run at the same time, not counting those that wait for a
    /// lock or a disk. A number less than 1 counts as 1.
    ///
    /// More threads than there are processors run only if turns take longer than 10 ms.
    public var running: Int
    /// The maximum number of threads, including those that wait for a lock or a disk, but not those
    /// of saves that wait for other saves. A number less than ``running`` counts as ``running``. When
    /// the limit is reached, further work waits for a thread.
    ///
    /// A save that waits for another save keeps its thread. So that such saves never keep readers
    /// from a thread, there may be one more thread for each of them, up to eight times this limit.
    public var total: Int
    /// How many threads of waiting saves may exist for each thread of ``total``.
    static let saversPerThread = 8

    /// Creates limits. For the meaning of the parameters, see the properties with the same names.
    public init(running: Int = 16, total: Int = 64) {
        self.running = running
        self.total = total
    }
}

/// The state of an executor's threads at one moment.
public struct ThreadLoad: Sendable, Hashable {
    /// The number of threads, including those that wait and those that are idle.
    public var threads: Int
    /// The number of threads that wait for a lock or a disk.
    public var waiting: Int
    /// The number of threads that have no work, and end soon.
    public var idle: Int
    /// The number of jobs that wait for a thread.
    public var queued: Int
}
