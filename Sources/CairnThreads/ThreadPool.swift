import Foundation
import Synchronization

/// A limited number of threads, and the queue of work for them.
///
/// Usually, no more threads run than there are processors. A thread that has work then gets a processor
/// immediately, so the order of the queue, and not the system's scheduler, decides which work is done next.
/// If every running thread has been busy with its current work for longer than 10 ms, one more thread may
/// run, up to the limit. Long turns then share the processors with other work.
package final class ThreadPool: Sendable {
    private struct State {
        var queue = PriorityLine<PoolWork>()
        /// The idle threads, in the order in which they became idle. The last thread gets work first, because
        /// its data is most likely still in the processor's caches.
        var idle: [PoolThread] = []
        /// The threads that do work, except those that wait for a lock or a disk.
        var running: [PoolThread] = []
        /// The number of threads that were woken or created to look at the queue, and have not done so yet.
        var starting = 0
        var threads = 0
        var waiting = 0
        /// The number of threads that wait to save.
        var waitingToSave = 0
        /// Whether an idle thread will wake soon to check whether one more thread may run.
        var hasLookout = false
        /// How long a thread without work is kept.
        var idleTime: Duration = .seconds(2)

        /// The number of running threads that have finished their work and are about to look at the queue.
        var finishingCount: Int {
            running.count { $0.isFinishing.load(ordering: .relaxed) }
        }

        /// Returns whether every running thread has been busy with its current work for longer than `time`.
        func allRun(longerThan time: Duration) -> Bool {
            let now = ContinuousClock.now
            return running.allSatisfy { $0.start.duration(to: now) > time }
        }
    }

    /// The duration after which a turn has to share the processors with other work.
    private static let longTurn: Duration = .milliseconds(10)
    /// How long a lookout sleeps before it checks again whether queued work may run. A lookout is the idle
    /// thread that ``State/hasLookout`` describes.
    private static let lookoutTime: Duration = .milliseconds(2)

    /// Read only once, because Foundation on Linux reads two control group files for it.
    static let processorCount = ProcessInfo.processInfo.activeProcessorCount

    private let name: String
    private let runningLimit: Int
    private let totalLimit: Int
    /// The maximum number of threads that exist in addition to ``totalLimit`` because others wait to save.
    private let saverLimit: Int
    /// The number of threads that may run at the same time, however short their work: the number of
    /// processors, but at least 2, and at most the limit.
    private let usualCount: Int
    private let state = Mutex(State())
    /// The number of jobs in the queue, readable without the mutex.
    private let queued = Atomic<Int>(0)

    init(name: String, limits: ThreadLimits) {
        self.name = name
        runningLimit = max(1, limits.running)
        totalLimit = min(max(runningLimit, limits.total), .max / 16)
        saverLimit = totalLimit * ThreadLimits.saversPerThread
        usualCount = min(runningLimit, max(2, Self.processorCount))
    }

    var load: ThreadLoad {
        state.withLock {
            ThreadLoad(
                threads: $0.threads, waiting: $0.waiting, idle: $0.idle.count,
                queued: $0.queue.count)
        }
    }

    /// Whether new work would begin immediately, on a processor that no thread of the pool uses.
    var hasFreeProcessor: Bool {
        state.withLock { $0.queue.isEmpty && $0.running.count + $0.starting < usualCount }
    }

    var hasQueuedWork: Bool { queued.load(ordering: .relaxed) > 0 }

    /// Makes the threads end. Threads that have work finish it first.
    func end() {
        let idle = state.withLock { state in
            state.idleTime = .zero
            return state.idle
        }
        for thread in idle { thread.wake() }
    }

    // MARK: Work

    func submit(_ work: PoolWork, priority: Int) {
        let wakeUp = state.withLock { state in
            state.queue.append(work, priority: priority)
            queued.store(state.queue.count, ordering: .relaxed)
            return findThread(&state)
        }
        wakeUp?()
    }

    /// Returns the next work for a thread. Sleeps until there is work. Returns `nil` if the thread
    /// was idle for long, and has to end.
    ///
    /// - Parameter isAfterWork: whether the thread has just finished other work.
    func nextWork(for thread: PoolThread, afterWork isAfterWork: Bool) -> PoolWork? {
        if isAfterWork { state.withLock { $0.running.removeAll { $0 === thread } } }
        var isStarting = !isAfterWork
        while true {
            let (work, isLookout, idleTime) = state.withLock { state in
                if isStarting { state.starting -= 1 }
                thread.isFinishing.store(false, ordering: .relaxed)
                if let work = popWork(&state) {
                    thread.start = .now
                    state.running.append(thread)
                    return (work as PoolWork?, false, Duration.zero)
                }
                let isLookout = !state.queue.isEmpty && !state.hasLookout
                if isLookout { state.hasLookout = true }
                state.idle.append(thread)
                return (nil, isLookout, state.idleTime)
            }
            if let work { return work }
            let time = isLookout ? Self.lookoutTime : idleTime
            isStarting = sleep(thread, atMost: time, isLookout: isLookout)
            guard isStarting || isLookout else { return nil }
        }
    }

    /// Lets an idle thread sleep. Returns `false` if no one woke it to look at the queue. Unless the thread
    /// is a lookout, the pool then does not count it any more.
    private func sleep(_ thread: PoolThread, atMost time: Duration, isLookout: Bool) -> Bool {
        let isWoken = thread.sleep(atMost: time)
        return state.withLock { state in
            if isLookout { state.hasLookout = false }
            guard let index = state.idle.firstIndex(where: { $0 === thread }) else {
                // The thread that removed this one from the list will wake it, but may not have done so yet.
                if !isWoken { thread.sleep() }
                return true
            }
            state.idle.remove(at: index)
            if !isLookout { state.threads -= 1 }
            return false
        }
    }

    /// Takes work from the queue if one more thread may run.
    private func popWork(_ state: inout State) -> PoolWork? {
        guard mayRunOneMore(state) else { return nil }
        let work = state.queue.popFirst()
        queued.store(state.queue.count, ordering: .relaxed)
        return work
    }

    private func mayRunOneMore(_ state: State) -> Bool {
        let running = state.running.count + state.starting
        if running < usualCount { return true }
        return running < runningLimit && state.allRun(longerThan: Self.longTurn)
    }

    /// Finds or creates a thread to look at the queue. If no more threads may run now, the thread waits as a
    /// lookout until one more may run.
    ///
    /// Returns a function that wakes or starts the thread. Call it after unlocking the mutex.
    /// Returns `nil` if a thread will look at the queue anyway, or if no further thread may run.
    private func findThread(_ state: inout State) -> (() -> Void)? {
        guard state.running.count + state.starting < runningLimit,
            state.queue.count > state.finishingCount + state.starting
        else { return nil }
        if state.hasLookout, !mayRunOneMore(state) { return nil }
        if let thread = state.idle.popLast() {
            state.starting += 1
            return { thread.wake() }
        }
        // Without the savers' threads, other turns would wait until all of them have saved.
        guard state.threads < totalLimit + min(state.waitingToSave, saverLimit) else { return nil }
        state.threads += 1
        state.starting += 1
        return { [self] in PoolThread(of: self).start(named: name) }
    }

    // MARK: Waiting

    /// Called by a thread that begins to wait for a lock or a disk. Another thread may run in the
    /// meantime.
    ///
    /// - Parameters:
    ///   - isFirst: whether the thread was not waiting yet.
    ///   - toSave: whether the thread waits for its turn to save to a store.
    func beginWaiting(_ thread: PoolThread, isFirst: Bool, toSave: Bool) {
        let wakeUp = state.withLock { state in
            if toSave { state.waitingToSave += 1 }
            if isFirst {
                state.waiting += 1
                state.running.removeAll { $0 === thread }
            }
            return findThread(&state)
        }
        wakeUp?()
    }

    func endWaiting(_ thread: PoolThread, isLast: Bool, toSave: Bool) {
        state.withLock { state in
            if toSave { state.waitingToSave -= 1 }
            guard isLast else { return }
            state.waiting -= 1
            state.running.append(thread)
        }
    }
}

/// A job of a task, and the executor that runs it.
struct PoolWork: Sendable {
    let job: UnownedJob
    /// Kept alive until the job is done.
    let executor: any TaskExecutor

    func run() { job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
}
