import Foundation

/// A lock that allows either many threads to use the map, or one thread to move it.
///
/// A thread that waits to move the map goes before threads that arrive later. Otherwise a
/// continuous stream of readers could keep the map from growing.
final class MapGate: @unchecked Sendable {
    // Unchecked: a pthread lock may be shared. It never moves, and lives as long as this object.
    private let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)

    init() {
        lock.initialize(to: pthread_rwlock_t())
        var attributes = pthread_rwlockattr_t()
        pthread_rwlockattr_init(&attributes)
        #if canImport(Glibc)
        // PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP, which Swift does not import.
        pthread_rwlockattr_setkind_np(&attributes, 2)
        #endif
        pthread_rwlock_init(lock, &attributes)
        pthread_rwlockattr_destroy(&attributes)
    }

    deinit {
        pthread_rwlock_destroy(lock)
        lock.deallocate()
    }

    /// Runs a body that reads the map. The body must not let pointers into the map escape.
    ///
    /// - Precondition: The thread runs no other body of this gate.
    func use<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_rwlock_rdlock(lock)
        defer { pthread_rwlock_unlock(lock) }
        return try body()
    }

    /// Runs a body that may move the map, while no thread uses the map.
    ///
    /// - Precondition: The thread runs no other body of this gate.
    func move<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_rwlock_wrlock(lock)
        defer { pthread_rwlock_unlock(lock) }
        return try body()
    }
}

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
