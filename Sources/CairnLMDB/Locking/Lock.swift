import Foundation

/// A mutex around a state that is not ``Sendable``, such as a transaction.
final class Lock: @unchecked Sendable {
    // Unchecked: a pthread mutex is made to be shared; it never moves and lives as long as this.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init() {
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs the body while no other thread is in one of this lock's.
    ///
    /// - Precondition: the thread is not in one already.
    func withLock<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }
}
