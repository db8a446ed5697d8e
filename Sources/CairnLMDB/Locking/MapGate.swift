import Foundation

/// Many threads that use the map, or one that moves it.
///
/// A thread that waits to move it goes before those that come later: a stream of readers cannot
/// keep the map from growing.
final class MapGate: @unchecked Sendable {
    // Unchecked: a pthread lock is made to be shared; it never moves and lives as long as this.
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

    /// Runs the body, which reads the map; no pointer into it may leave.
    ///
    /// - Precondition: the thread is in no other body of this gate.
    func use<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_rwlock_rdlock(lock)
        defer { pthread_rwlock_unlock(lock) }
        return try body()
    }

    /// Runs the body, which may move the map, while nobody uses it.
    ///
    /// - Precondition: the thread is in no other body of this gate.
    func move<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_rwlock_wrlock(lock)
        defer { pthread_rwlock_unlock(lock) }
        return try body()
    }
}
