import CairnThreads
import Testing

@Suite struct `Limits of threads` {
    /// Without a thread, work would wait forever.
    @Test(.timeLimit(.minutes(1)), arguments: [0, -1])
    func `leave an executor a thread`(_ limit: Int) async {
        let executor = TurnExecutor(limits: ThreadLimits(running: limit, total: limit))

        let isOnExecutor = await Task(executorPreference: executor) { executor.isCurrent }.value

        #expect(isOnExecutor)
        #expect(executor.load.threads == 1)
    }

    @Test(.timeLimit(.minutes(1)))
    func `for all threads are at least the limit for running ones`() async {
        let executor = TurnExecutor(limits: ThreadLimits(running: 2, total: 1))
        let blockers = [Blocker(executor), Blocker(executor)]

        let count = executor.load.threads
        for blocker in blockers { blocker.end() }

        #expect(count == 2)
    }
}
