import BenchmarkRows
import Cairn
import Dispatch

/// Row V.
struct EnterContext: Workload {
    let name = "V"
    let title = "enter a context"
    let about = About(
        goal: """
            perform ≤ 0.5 µs from a task on the executor, ≤ 1.5 times a hop to a dispatch queue's \
            executor from a task elsewhere; performAndWait ≤ 0.2 µs; the access check, ≤ 1 ns, \
            cannot be called on its own: it is part of row D's accessor
            """,
        heldFixed: """
            an empty body, 10,000 times, no one else in the context; what changes threads is on one \
            processor
            """,
        varied:
            "Cairn's ways in; hops to an actor and to a queue, and a sync on a queue as baselines")

    private static let count = 10_000

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.engine == .inMemory else {
            return .notApplicable(
                because: "a context is entered in the same way whatever engine its rows are from")
        }
        let handle = try setting.items().container.newBackgroundContext()
        let executor = handle.executor
        let onExecutor = Contender("Cairn, on the executor", .ours, goal: .nanoseconds(500)) {
            try Self.waiting(on: executor) {
                try await Self.count(of: $0) { try await handle.perform { _ in 1 } }
            }
        }
        let counter = Counter()
        let actorHop = Contender("actor hop", .baseline) {
            try Self.waiting { await Self.count(of: $0) { await counter.one() } }
        }
        let elsewhere = Contender("Cairn, elsewhere", .ours, goal: .ratio(1.5)) {
            try OneProcessor.run {
                try Self.waiting {
                    try await Self.count(of: $0) { try await handle.perform { _ in 1 } }
                }
            }
        }
        let queueCounter = QueueCounter()
        let queueHop = Contender("queue hop", .baseline) {
            try OneProcessor.run {
                try Self.waiting { await Self.count(of: $0) { await queueCounter.one() } }
            }
        }
        let performAndWait = Contender("Cairn, performAndWait", .ours, goal: .nanoseconds(200)) {
            try Self.sample { try handle.performAndWait { _ in 1 } }
        }
        let queue = DispatchQueue(label: "control")
        let sync = Contender("DispatchQueue.sync", .baseline) {
            Self.sample { queue.sync { 1 } }
        }
        return .contests([
            Contest(part: "perform on the executor", unit: "turn", [onExecutor, actorHop]),
            Contest(part: "perform elsewhere", unit: "turn", [elsewhere, queueHop]),
            Contest(part: "performAndWait", unit: "turn", [performAndWait, sync]),
        ])
    }

    private actor Counter {
        private var count = 0

        /// Changes a property and is not inlined, so that the optimizer does not remove the hop.
        @inline(never) func one() -> Int {
            count += 1
            return 1
        }
    }

    /// An actor that runs on the thread of a dispatch queue.
    private actor QueueCounter {
        private nonisolated let executor = QueueExecutor()
        nonisolated var unownedExecutor: UnownedSerialExecutor {
            executor.asUnownedSerialExecutor()
        }

        private var count = 0

        @inline(never) func one() -> Int {
            count += 1
            return 1
        }
    }

    private final class QueueExecutor: SerialExecutor {
        private let queue = DispatchQueue(label: "queue hop")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
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

    /// Runs the body in a new task and waits for it.
    ///
    /// - Parameter executor: The task's preferred executor, or `nil` for Swift's cooperative pool.
    private static func waiting(
        on executor: TurnExecutor? = nil,
        _ body: @escaping @Sendable (Stopwatch) async throws -> Sample
    ) throws -> Sample {
        let done = DispatchSemaphore(value: 0)
        let answer = Answer()
        Task.detached(executorPreference: executor) {
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
        // Unchecked because it is written before the semaphore is signalled, and read after waiting for it.
        var result: Result<Sample, any Error> = .failure(CancellationError())
    }
}
