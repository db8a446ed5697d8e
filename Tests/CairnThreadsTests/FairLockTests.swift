import CairnThreads
import Dispatch
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct `A fair lock` {
    private let lock = FairLock()
    private static let forever = ContinuousClock.now + .seconds(3600)

    @Test func `is given to threads in the order in which they asked`() {
        let order = Mutex<[Int]>([])
        let threads = DispatchGroup()
        #expect(lock.take(until: Self.forever) == .taken)

        for number in 0..<20 {
            threads.enter()
            Thread.detachNewThread { [lock] in
                #expect(lock.take(until: Self.forever) == .taken)
                order.withLock { $0.append(number) }
                lock.release()
                threads.leave()
            }
            while lock.waiterCount <= number { usleep(100) }
        }
        lock.release()
        threads.wait()

        #expect(order.withLock { $0 } == Array(0..<20))
    }

    /// A thread that releases the lock and immediately asks for it again must wait until the others had their
    /// turns.
    @Test func `is given in turn to threads that keep asking for it`() {
        let counts = Mutex([0, 0])
        let threads = DispatchGroup()
        for number in 0..<2 {
            threads.enter()
            Thread.detachNewThread { [lock] in
                while counts.withLock({ $0.reduce(0, +) }) < 2_000 {
                    _ = lock.take(until: Self.forever)
                    counts.withLock { $0[number] += 1 }
                    // Waits until the other thread is in line, or has ended.
                    while lock.waiterCount == 0, counts.withLock({ $0.reduce(0, +) }) < 2_000 {
                        sched_yield()
                    }
                    lock.release()
                }
                threads.leave()
            }
        }
        threads.wait()

        let all = counts.withLock { $0 }
        #expect(abs(all[0] - all[1]) <= 2, "\(all)")
    }

    @Test func `is not waited for after the deadline`() {
        #expect(lock.take(until: .now) == .taken)
        #expect(lock.take(until: .now + .milliseconds(5)) == .timedOut)
        #expect(lock.waiterCount == 0)
        lock.release()
        #expect(lock.take(until: .now) == .taken)
    }

    @Test func `is not waited for by a cancelled task`() async {
        let executor = TurnExecutor()
        #expect(lock.take(until: .now) == .taken)

        let task = Task(executorPreference: executor) { [lock] in lock.take(until: Self.forever) }
        while lock.waiterCount == 0 { await Task.yield() }
        task.cancel()

        #expect(await task.value == .cancelled)
        #expect(lock.waiterCount == 0)
    }

    @Test func `that is polled is not waited for by a cancelled task`() async {
        let executor = TurnExecutor()
        let hasBegun = Atomic(false)

        let task = Task(executorPreference: executor) {
            LockPolling.take(until: Self.forever) {
                hasBegun.store(true, ordering: .relaxed)
                return false
            }
        }
        while !hasBegun.load(ordering: .relaxed) { await Task.yield() }
        task.cancel()

        #expect(await task.value == .cancelled)
    }
}
