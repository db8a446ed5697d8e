/// A part of a task, and the executor that it runs on.
struct PoolWork: Sendable {
    let job: UnownedJob
    /// Held until the job is done.
    let executor: any TaskExecutor

    func run() { job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
}
