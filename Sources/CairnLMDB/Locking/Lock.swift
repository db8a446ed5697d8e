import Foundation

/// A mutex for a state that is not ``Sendable``, such as a transaction.
final class Lock: @unchecked Sendable {
    // Unchecked: a pthread mutex may be shared. It never moves, and lives as long as this object.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init() {
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs the body while no other thread runs a body of this lock.
    ///
    /// - Precondition: The thread does not already run a body of this lock.
    func withLock<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }
}
