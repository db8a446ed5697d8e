/// A job of a task, and the executor that runs it.
struct PoolWork: Sendable {
    let job: UnownedJob
    /// Kept alive until the job is done.
    let executor: any TaskExecutor

    func run() { job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
}
