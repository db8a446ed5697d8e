import CairnThreads
import Dispatch
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct `A queue whose first thread leads` {
    private let queue = LeaderQueue<Int, String>()
    private static let forever = ContinuousClock.now + .seconds(3600)

    /// Enters the queue on threads of their own, one after the other.
    private func enter(_ works: Range<Int>, _ body: @escaping @Sendable (Int, String) -> Void) {
        for work in works {
            let before = queue.waiterCount
            Thread.detachNewThread { [queue] in
                switch queue.enter(work, until: Self.forever) {
                case .leads(let hasWaited):
                    body(work, hasWaited ? "leads" : "leads at once")
                    queue.leave()
                case .answered(let answer): body(work, answer)
                case .ended(let outcome): body(work, "\(outcome)")
                }
            }
            while queue.waiterCount == before { usleep(100) }
        }
    }

    @Test func `is led at once by a thread that is alone`() {
        for _ in 0..<2 {
            guard case .leads(hasWaited: false) = queue.enter(1, until: .now) else {
                Issue.record("it does not lead")
                return
            }
            queue.leave()
        }
    }

    @Test func `can be led without waiting, unless another thread leads it`() {
        #expect(queue.tryToLead())
        #expect(!queue.tryToLead())
        queue.leave()
        #expect(queue.tryToLead())
    }

    @Test func `gives the leader the work of those that wait, in order, and them its answers`() {
        let answers = Mutex<[Int: String]>([:])
        let done = DispatchGroup()
        _ = queue.enter(0, until: .now)
        for _ in 1...5 { done.enter() }
        enter(1..<6) { work, answer in
            answers.withLock { $0[work] = answer }
            done.leave()
        }

        let taken = queue.take { $0 < 4 }
        for waiter in taken { waiter.answer("done \(waiter.work)") }
        queue.leave()
        done.wait()

        #expect(taken.map(\.work) == [1, 2, 3])
        let expected = [1: "done 1", 2: "done 2", 3: "done 3", 4: "leads", 5: "leads"]
        #expect(answers.withLock { $0 } == expected)
        #expect(queue.waiterCount == 0)
    }

    @Test func `is left at the deadline, and when the task is cancelled`() async {
        _ = queue.enter(0, until: .now)

        guard case .ended(.timedOut) = queue.enter(1, until: .now + .milliseconds(5)) else {
            Issue.record("it waits longer")
            return
        }
        let executor = TurnExecutor()
        let task = Task(executorPreference: executor) { [queue] in
            if case .ended(.cancelled) = queue.enter(2, until: Self.forever) { true } else { false }
        }
        while queue.waiterCount == 0 { await Task.yield() }
        task.cancel()

        #expect(await task.value)
        #expect(queue.take { _ in true }.isEmpty)
    }

    @Test func `is not left by a task whose work was taken before it was cancelled`() async {
        _ = queue.enter(0, until: .now)
        let executor = TurnExecutor()
        let task = Task(executorPreference: executor) { [queue] () -> String? in
            let turn = queue.enter(1, until: Self.forever)
            if case .answered(let answer) = turn { return answer }
            return nil
        }
        while queue.waiterCount == 0 { await Task.yield() }

        let taken = queue.take { _ in true }
        task.cancel()
        // Longer than a waiting thread takes to notice.
        usleep(50_000)
        taken.first?.answer("done")

        #expect(await task.value == "done")
    }
}
