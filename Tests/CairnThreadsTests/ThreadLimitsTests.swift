import CairnThreads
import Dispatch
import Testing

@Suite struct `Limits of threads` {
    /// Without a thread, work would wait forever.
    @Test(.timeLimit(.minutes(1)), arguments: [0, -1])
    func `leave an executor a thread`(_ limit: Int) async {
        let executor = TurnExecutor(limits: ThreadLimits(running: limit, total: limit))

        // A thread that has nothing to do ends, so threads are counted while one has.
        let (isOnExecutor, count) = await Task(executorPreference: executor) {
            (executor.isCurrent, executor.load.threads)
        }.value

        #expect(isOnExecutor)
        #expect(count == 1)
    }

    @Test(.timeLimit(.minutes(1)))
    func `for all threads are at least the limit for running ones`() async {
        let executor = TurnExecutor(limits: ThreadLimits(running: 2, total: 1))
        let blockers = [Blocker(executor), Blocker(executor)]

        let count = executor.load.threads
        for blocker in blockers { blocker.end() }

        #expect(count == 2)
    }

    @Test(.timeLimit(.minutes(1)))
    func `leave a thread to other work, however many threads wait to save`() async {
        let executor = TurnExecutor(limits: ThreadLimits(running: 1, total: 1))
        let savers = Savers(3, on: executor)
        while executor.load.waiting < 3 { await Task.yield() }

        let isOnExecutor = await Task(executorPreference: executor) { executor.isCurrent }.value
        await savers.end()

        #expect(isOnExecutor)
    }

    @Test(.timeLimit(.minutes(1)))
    func `let at most eight times as many threads wait to save`() async {
        let executor = TurnExecutor(limits: ThreadLimits(running: 1, total: 1))
        let savers = Savers(10, on: executor)
        while executor.load.waiting < 9 || executor.load.queued < 1 { await Task.yield() }

        let load = executor.load
        await savers.end()

        #expect(load.threads == 9)
        #expect(load.queued == 1)
    }

    /// Tasks that wait to save until they are ended.
    private struct Savers {
        private let mayEnd = DispatchSemaphore(value: 0)
        private let tasks: [Task<Void, Never>]

        init(_ count: Int, on executor: TurnExecutor) {
            tasks = (0..<count).map { [mayEnd] _ in
                Task(executorPreference: executor) {
                    TurnExecutor.whileWaiting(toSave: true) { mayEnd.wait() }
                }
            }
        }

        func end() async {
            for _ in tasks { mayEnd.signal() }
            for task in tasks { await task.value }
        }
    }
}
