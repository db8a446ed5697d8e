import CairnFiles
import CairnStore
import CairnThreads

extension HeldFile {
    /// How long to wait for a file lock that a store's users share, or that a program moving the
    /// store holds alone.
    ///
    /// A program that looks at the store, or moves it, usually holds the lock for less than a
    /// millisecond, or a few dozen on a busy machine. Programs that use the store may hold the lock
    /// for any length of time.
    static let longestStart: Duration = .milliseconds(250)

    /// Takes an advisory lock on the file, which lasts until the file is released. Waits until the
    /// deadline if the lock is held elsewhere.
    ///
    /// - Returns: whether the lock was taken.
    /// - Throws: `.cancelled`.
    func lock(
        isShared: Bool, until deadline: ContinuousClock.Instant
    ) throws(StoreError) -> Bool {
        switch LockPolling.take(until: deadline, { lock(isShared: isShared) }) {
        case .taken: return true
        case .timedOut: return false
        case .cancelled: throw .cancelled
        }
    }
}
