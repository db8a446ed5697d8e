/// The threads on which contexts have their turns. These threads may wait for a lock or a disk, which
/// the threads of Swift's cooperative pool must not do.
///
/// The number of threads is limited by ``ThreadLimits``. Threads are created when there is work, and
/// end when there is no work. While a thread waits for a lock, another one does work instead. Work is
/// started by priority. Within one priority, tasks that have recently used little processor time for
/// turns go first, and equal ones go in the order in which they came. One piece of work in eight is the
/// oldest one, so that nothing waits for ever.
///
/// A coordinator makes an executor of its own unless it is given one. A task that prefers the executor
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
    /// How many threads there may be, as given when the executor was made.
    public let limits: ThreadLimits
    /// Where tasks that prefer the executor are among those that come for a turn: in the middle.
    private static let ownLevel = RecentUse.levelCount / 2

    private let pool: ThreadPool
    private let lanes: [TurnLane]
    private let recentUse = RecentUse()

    /// - Parameters:
    ///   - name: of its threads, for debuggers and profilers.
    ///   - limits: how many threads there may be.
    public init(name: String = "cairn", limits: ThreadLimits = ThreadLimits()) {
        self.limits = limits
        let pool = ThreadPool(name: name, limits: limits)
        self.pool = pool
        lanes = (0..<RecentUse.levelCount).map { TurnLane(pool, level: $0) }
    }

    /// Threads that have work finish it.
    deinit { pool.end() }

    /// What the threads do now. Costs one lock.
    public var load: ThreadLoad { pool.load }

    /// Whether the calling thread is one of the executor's.
    public var isCurrent: Bool { PoolThread.current?.pool === pool }

    /// Whether work waits for a thread. Costs one load.
    package var hasQueuedWork: Bool { pool.hasQueuedWork }

    /// How many processors the process may use.
    package var processorCount: Int { ThreadPool.processorCount }

    /// Whether work would begin at once, on a processor that none of the threads uses. Costs one lock.
    package var hasFreeProcessor: Bool { pool.hasFreeProcessor }

    /// Runs a part of a task on one of the threads. Called by Swift.
    public func enqueue(_ job: consuming ExecutorJob) {
        let priority = Int(job.priority.rawValue) * RecentUse.levelCount - Self.ownLevel
        pool.submit(PoolWork(job: UnownedJob(job), executor: self), priority: priority)
    }

    /// The executor that the calling task has to prefer for a turn. Tasks that have used little processor
    /// time for turns lately go before others of their priority.
    package var laneOfTask: any TaskExecutor { lanes[recentUse.level(ofTask: Self.taskHash)] }

    /// Runs a turn of the calling task, and notes the processor time that it uses. The task leaves the
    /// lane right after it.
    ///
    /// The time of a turn that waits, as a save does for the disk, counts a quarter: such a turn uses the
    /// processor little, and other savers wait for it.
    ///
    /// - Throws: what the body throws.
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

    /// Runs a body that waits, for a disk or for others, on one of the threads, as part of the calling
    /// task.
    ///
    /// - Throws: what the body throws.
    package func runWaiting<Value: Sendable, Failure: Error>(
        _ body: @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await withTaskExecutorPreference(self) { () async throws(Failure) -> Value in
            try await Self.runHere { () throws(Failure) in try Self.whileWaiting(body) }
        }
    }

    /// Runs where the task prefers to run, even if the caller is isolated to an actor, because this
    /// function is not isolated.
    @concurrent private static func runHere<Value: Sendable, Failure: Error>(
        _ body: @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try body()
    }

    /// Runs a body that waits for a lock or a disk. On a thread of an executor, another thread may take
    /// over its work meanwhile; on any other thread this only runs the body.
    ///
    /// - Throws: what the body throws.
    @inline(__always) public static func whileWaiting<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let thread = PoolThread.current
        thread?.beginWaiting()
        defer { thread?.endWaiting() }
        return try body()
    }
}
