import CairnThreads
import Testing

@Suite struct `Limits of threads` {
    @Test func `are at least one, and the total is at least the running limit`() {
        let none = ThreadLimits(running: 0, total: -1)
        let few = ThreadLimits(running: 4, total: 2)

        #expect((none.running, none.total) == (1, 1))
        #expect((few.running, few.total) == (4, 4))
    }

    @Test func `that are set later have the same bounds as initial ones`() {
        var limits = ThreadLimits(running: 4, total: 8)
        (limits.running, limits.total) = (0, -1)
        let none = limits
        (limits.running, limits.total) = (16, 2)
        let few = limits

        #expect((none.running, none.total) == (1, 1))
        #expect((few.running, few.total) == (16, 16))
        #expect(few == ThreadLimits(running: 16, total: 16))
        #expect(few.hashValue == ThreadLimits(running: 16, total: 16).hashValue)
    }

    @Test func `do not depend on the order in which they are set`() {
        var (first, second) = (ThreadLimits(), ThreadLimits())
        first.running = 2
        first.total = 4
        second.total = 4
        second.running = 2

        #expect(first == second)
        #expect((second.running, second.total) == (2, 4))
    }

    /// Without a thread, work would wait forever.
    @Test(.timeLimit(.minutes(1))) func `that are set leave an executor a thread`() async {
        var limits = ThreadLimits()
        (limits.running, limits.total) = (0, 0)
        let executor = TurnExecutor(limits: limits)

        let isOnExecutor = await Task(executorPreference: executor) { executor.isCurrent }.value

        #expect(isOnExecutor)
        #expect(executor.limits.total == 1)
    }
}
