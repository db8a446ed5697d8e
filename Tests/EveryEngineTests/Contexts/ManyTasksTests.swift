import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import ManyTasksServer
import Synchronization
import Testing

/// Runs the server of Examples/ManyTasks for a second on each engine.
@Suite(.serialized, .timeLimit(.minutes(2))) struct `Example of many tasks` {
    @Test(arguments: everyEngine)
    func `serves readers and writers without losing a write`(_ type: StoreType) async throws {
        var answers = Answers()
        var mismatches: [Ledger.Mismatch] = []
        // Other tests may keep Swift's threads busy for a second, in which case longer runs follow.
        for seconds in [1, 8, 30] {
            let folder = try TemporaryFolder()
            answers = Answers()
            var run = ManyTasksRun(
                engine: type, duration: .seconds(seconds), readers: 48, writers: 8)
            run.limits.inFlight = 16
            mismatches = try await run.run(in: folder.url, observer: answers)
            if answers.reads > 0, answers.writes > 0 { break }
        }

        #expect(mismatches == [])
        #expect(answers.reads > 0)
        #expect(answers.writes > 0)
        #expect(answers.otherFailures == [])
        #expect(answers.hasEnded)
        #expect(answers.isContainerGone)
    }

    @Test func `reports which account lost a write`() async throws {
        let folder = try TemporaryFolder()
        let container = PersistentContainer(
            name: "Accounts", managedObjectModel: try Account.model,
            classes: ObjectClasses([Account.self]), directory: folder.url)
        try await container.loadPersistentStores()
        try await container.performBackgroundTask { context in
            for number in 0..<3 as Range<Int64> {
                let account = try context.insert(Account.self)
                (account.number, account.writes) = (number, number)
            }
            try context.save()
        }

        let ledger = Ledger(accounts: 4)
        for account in [1, 1, 2, 2] as [Int64] { ledger.note(account) }
        let found = try await ledger.mismatches(in: container)

        #expect(found.map(\.account) == [1, 3])
        #expect(found.map(\.acknowledged) == [2, 0])
        #expect(found.map(\.stored) == [1, nil])
    }

    /// The server immediately refuses requests beyond its capacity, and answers every request.
    @Test func `refuses requests that it has no room for`() async throws {
        let folder = try TemporaryFolder()
        let answers = Answers()
        var run = ManyTasksRun(
            engine: .inMemory, duration: .milliseconds(200), readers: 32, writers: 0)
        (run.limits.inFlight, run.limits.waiting) = (1, 1)

        _ = try await run.run(in: folder.url, observer: answers)

        #expect(answers.count(of: .busy) > 0)
        #expect(answers.otherFailures == [])
    }

    /// Counts the server's answers.
    private final class Answers: RunObserver {
        private struct Counts {
            var reads = 0
            var writes = 0
            var failures: [FailureKind: Int] = [:]
            var others: [String] = []
            var hasEnded = false
        }

        private let counts = Mutex(Counts())
        private let container = Mutex(WeakContainer())

        private struct WeakContainer: Sendable {
            weak var container: PersistentContainer?
        }

        var reads: Int { counts.withLock { $0.reads } }
        var writes: Int { counts.withLock { $0.writes } }
        var otherFailures: [String] { counts.withLock { $0.others } }
        var hasEnded: Bool { counts.withLock { $0.hasEnded } }
        var isContainerGone: Bool { container.withLock { $0.container == nil } }

        func count(of kind: FailureKind) -> Int { counts.withLock { $0.failures[kind] ?? 0 } }

        func didBegin(_ container: PersistentContainer) {
            self.container.withLock { $0.container = container }
        }

        func didAnswer(_ request: Request, after time: Duration, failure: (any Error)?) {
            counts.withLock {
                guard let failure else {
                    if request.isWrite { $0.writes += 1 } else { $0.reads += 1 }
                    return
                }
                let kind = FailureKind(failure)
                $0.failures[kind, default: 0] += 1
                if kind == .other { $0.others.append("\(failure)") }
            }
        }

        func didEnd() { counts.withLock { $0.hasEnded = true } }
    }
}
