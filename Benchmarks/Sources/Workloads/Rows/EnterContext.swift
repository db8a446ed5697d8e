import BenchmarkKit
import Cairn
import Dispatch

/// Row V.
struct EnterContext: Workload {
    let name = "V"
    let title = "enter a context"
    let about = About(
        goal: """
            perform ≤ 0.5 µs from a task off the main actor, performAndWait ≤ 0.2 µs; the access \
            check, ≤ 1 ns, cannot be called on its own: it is part of row D's accessor
            """,
        heldFixed: "an empty body, 10,000 times, no one else in the context",
        varied: "Cairn's two ways in; a hop to an actor and a sync on a queue as baselines")

    private static let count = 10_000

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.engine == .inMemory else { return .notApplicable }
        let handle = try setting.items().container.newBackgroundContext()
        let perform = Contender("Cairn, perform", .ours, goal: .nanoseconds(500)) {
            try Self.waiting {
                try await Self.count(of: $0) { try await handle.perform { _ in 1 } }
            }
        }
        let counter = Counter()
        let hop = Contender("actor hop", .baseline) {
            try Self.waiting { await Self.count(of: $0) { await counter.one() } }
        }
        let performAndWait = Contender("Cairn, performAndWait", .ours, goal: .nanoseconds(200)) {
            try Self.sample { try handle.performAndWait { _ in 1 } }
        }
        let queue = DispatchQueue(label: "control")
        let sync = Contender("DispatchQueue.sync", .baseline) {
            Self.sample { queue.sync { 1 } }
        }
        return .contests([
            Contest(part: "perform", unit: "turn", [perform, hop]),
            Contest(part: "performAndWait", unit: "turn", [performAndWait, sync]),
        ])
    }

    private actor Counter {
        func one() -> Int { 1 }
    }

    private static func sample(_ body: () throws -> Int) rethrows -> Sample {
        var watch = Stopwatch()
        var sum = 0
        try watch.time { for _ in 0..<count { sum += try body() } }
        return Sample(watch, operations: count, checksum: UInt64(sum))
    }

    private static func count(
        of watch: Stopwatch, _ body: @Sendable () async throws -> Int
    ) async rethrows -> Sample {
        var watch = watch
        let sum = try await watch.time {
            var sum = 0
            for _ in 0..<count { sum += try await body() }
            return sum
        }
        return Sample(watch, operations: count, checksum: UInt64(sum))
    }

    /// Runs the body in a task of its own, and waits for it.
    private static func waiting(
        _ body: @escaping @Sendable (Stopwatch) async throws -> Sample
    ) throws -> Sample {
        let done = DispatchSemaphore(value: 0)
        let answer = Answer()
        Task.detached {
            do {
                answer.result = .success(try await body(Stopwatch()))
            } catch {
                answer.result = .failure(error)
            }
            done.signal()
        }
        done.wait()
        return try answer.result.get()
    }

    private final class Answer: @unchecked Sendable {
        // Unchecked: written before the semaphore is signalled, read after it was waited for.
        var result: Result<Sample, any Error> = .failure(CancellationError())
    }
}
