/// The outcome of waiting for a lock.
package enum WaitOutcome: Sendable, Hashable {
    /// The caller holds the lock.
    case taken
    /// The lock was held elsewhere until the deadline.
    case timedOut
    /// The calling task was cancelled during the wait.
    case cancelled
}
