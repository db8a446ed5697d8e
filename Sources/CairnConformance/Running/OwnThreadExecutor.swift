import Foundation

/// Runs a task on a new thread, so that a rule can wait for it. Rules may occupy all of Swift's
/// cooperative threads at once.
final class OwnThreadExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        Thread { job.runSynchronously(on: executor) }.start()
    }

    /// Runs the body in a task, and waits until the body has returned.
    func run(_ body: @escaping @Sendable () -> Void) {
        let hasEnded = DispatchSemaphore(value: 0)
        Task(executorPreference: self) {
            body()
            hasEnded.signal()
        }
        hasEnded.wait()
    }
}
