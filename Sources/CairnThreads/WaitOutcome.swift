/// How waiting for a lock ended.
public enum WaitOutcome: Sendable, Hashable {
    /// The caller has the lock.
    case taken
    /// Others had it until the deadline.
    case timedOut
    /// The calling task was cancelled while it waited.
    case cancelled
}
