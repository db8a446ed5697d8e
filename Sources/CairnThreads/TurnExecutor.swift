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
    /// The level of tasks that prefer the executor, relative to tasks that come for a turn: the
    /// middle.
    private static let ownLevel = RecentUse.levelCount / 2

    private let pool: ThreadPool
    private let lanes: [TurnLane]
    private let recentUse = RecentUse()

    /// Creates an executor.
    ///
    /// - Parameters:
    ///   - name: the name of its threads, for debuggers and profilers.
    ///   - limits: the limits for the number of threads.
    public init(name: String = "cairn", limits: ThreadLimits = ThreadLimits()) {
        self.limits = limits
        let pool = ThreadPool(name: name, limits: limits)
        self.pool = pool
        lanes = (0..<RecentUse.levelCount).map { TurnLane(pool, level: $0) }
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
        let priority = Int(job.priority.rawValue) * RecentUse.levelCount - Self.ownLevel
        pool.submit(PoolWork(job: UnownedJob(job), executor: self), priority: priority)
    }

    /// The executor that the calling task should prefer for a turn. Tasks that have recently used
    /// little processor time for turns go before other tasks of the same priority.
    package var laneOfTask: any TaskExecutor { lanes[recentUse.level(ofTask: Self.taskHash)] }

    /// Runs a turn of the calling task, and records the processor time that it uses. The task must
    /// leave the lane right afterwards.
    ///
    /// The time of a turn that waits counts only a quarter, for example that of a save that waits
    /// for the disk: such a turn uses the processor little, and other savers wait for it.
    ///
    /// - Throws: the error that the body throws.
    package func measuringUse<Value>(_ body: () throws -> Value) rethrows -> Value {
        let thread = PoolThread.current
        let (start, waits) = (RecentUse.ofThread, thread?.waitCount)
        defer {
            let used = RecentUse.ofThread - start
            recentUse.add(thread?.waitCount == waits ? used : used / 4, to: Self.taskHash)
            thread?.isFinishing.store(true, ordering: .relaxed)
        }
        return try body()
    }

    private static var taskHash: Int { withUnsafeCurrentTask { $0?.hashValue ?? 0 } }

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
    /// - Throws: the error that the body throws.
    @inline(__always) package static func whileWaiting<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let thread = PoolThread.current
        thread?.beginWaiting()
        defer { thread?.endWaiting() }
        return try body()
    }
}
