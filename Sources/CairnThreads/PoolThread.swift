import CairnCLinux
import Dispatch
import Foundation
import Synchronization

/// A thread of a ``ThreadPool``.
package final class PoolThread: @unchecked Sendable {
    // Unchecked: `start` is accessed only while the pool's mutex is locked. `waitDepth` and
    // `waitCount` are accessed only by the thread itself.
    let pool: ThreadPool
    /// The time at which the thread began its current work.
    var start = ContinuousClock.now
    /// Whether the thread's turn is over, so that it will look for other work in a moment. New work
    /// then needs no other thread.
    let isFinishing = Atomic(false)
    private var waitDepth = 0
    /// The number of times that the thread has waited for a lock or a disk.
    private(set) var waitCount = 0
    private let wakeUp = DispatchSemaphore(value: 0)

    init(of pool: ThreadPool) { self.pool = pool }

    // MARK: The calling thread

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let code = pthread_key_create(&key, nil)
        precondition(code == 0, "the process cannot create another thread-specific key")
        return key
    }()

    /// The calling thread, or `nil` if it does not belong to a pool.
    package static var current: PoolThread? {
        guard let pointer = pthread_getspecific(key) else { return nil }
        return Unmanaged<PoolThread>.fromOpaque(pointer).takeUnretainedValue()
    }

    func start(named name: String) {
        NamedThread.start(name) { self.main() }
    }

    private func main() {
        // The thread's closure keeps this object alive until the thread ends.
        pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
        defer { pthread_setspecific(Self.key, nil) }
        var isAfterWork = false
        while let work = pool.nextWork(for: self, afterWork: isAfterWork) {
            work.run()
            isAfterWork = true
        }
    }

    // MARK: Idle

    /// Wakes the thread, or makes its next sleep end immediately.
    func wake() { wakeUp.signal() }

    /// Sleeps until ``wake()`` is called. Returns `false` if the time has passed without a call.
    func sleep(atMost time: Duration) -> Bool {
        wakeUp.wait(timeout: .now() + time.dispatchInterval) == .success
    }

    /// Sleeps until ``wake()`` is called.
    func sleep() { wakeUp.wait() }

    // MARK: Waiting

    func beginWaiting(toSave: Bool) {
        waitDepth += 1
        waitCount &+= 1
        if toSave || waitDepth == 1 {
            pool.beginWaiting(self, isFirst: waitDepth == 1, toSave: toSave)
        }
    }

    func endWaiting(toSave: Bool) {
        waitDepth -= 1
        if toSave || waitDepth == 0 {
            pool.endWaiting(self, isLast: waitDepth == 0, toSave: toSave)
        }
    }
}

/// A thread with a name that debuggers and `/proc` show.
package enum NamedThread {
    /// Starts a thread that runs the body and then ends.
    ///
    /// - Parameters:
    ///   - name: the name of the thread. Linux shows its first 15 bytes.
    ///   - body: the work of the thread.
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
        Thread {
            // Foundation's own property loses the names of some threads. Linux accepts 15 bytes.
            #if os(Linux)
            cairn_name_running_thread(String(name.prefix(15)))
            #else
            pthread_setname_np(name)
            #endif
            body()
        }
        .start()
    }
}
