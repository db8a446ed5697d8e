import CairnFiles
import CairnStore
import CairnThreads

extension HeldFile {
    /// How long to wait for a lock of a file that a store's users share, or that its mover has alone.
    ///
    /// A process that is being started has copies of all descriptors until its program begins, and
    /// with them the locks of files that this process has closed. That takes less than a millisecond,
    /// or some dozens on a busy machine. Real holders have the lock for as long as they please.
    static let longestStart: Duration = .milliseconds(250)

    /// Takes an advisory lock on the file until it is let go of. Waits until the moment if another
    /// holds it.
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
