/// An executor on a pool's threads for tasks that have recently used about the same processor time.
/// Lanes of tasks that have used less go first.
final class TurnLane: TaskExecutor {
    private let pool: ThreadPool
    private let level: Int

    /// - Parameter level: a level of ``RecentUse``.
    init(_ pool: ThreadPool, level: Int) {
        self.pool = pool
        self.level = level
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let priority = Int(job.priority.rawValue) * RecentUse.levelCount - level
        pool.submit(PoolWork(job: UnownedJob(job), executor: self), priority: priority)
    }
}
