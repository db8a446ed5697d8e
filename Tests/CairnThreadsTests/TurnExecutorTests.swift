import CairnThreads
import Dispatch
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct `The executor` {
    private let executor = TurnExecutor(limits: ThreadLimits(running: 2, total: 4))

    @Test func `runs a task on its own threads, and the task stays there`() async {
        let wereOnExecutor = await Task(executorPreference: executor) { [executor] in
            let first = executor.isCurrent
            await Task.yield()
            return [first, executor.isCurrent]
        }.value

        #expect(wereOnExecutor == [true, true])
        #expect(!executor.isCurrent)
    }

    @Test func `runs no more jobs at once than its limit, however many there are`() async {
        let counter = Counter()

        await withTaskGroup { group in
            for _ in 0..<200 {
                group.addTask(executorPreference: executor) {
                    counter.enter()
                    usleep(100)
                    counter.leave()
                }
            }
        }

        #expect(counter.most == 2)
    }

    /// All threads that may run wait for something that only another thread can do.
    @Test func `lets another thread take over while one waits`() async {
        let isDone = DispatchSemaphore(value: 0)

        await withTaskGroup { group in
            for _ in 0..<2 {
                group.addTask(executorPreference: executor) {
                    TurnExecutor.whileWaiting { isDone.wait() }
                }
            }
            while executor.load.waiting < 2 { await Task.yield() }
            group.addTask(executorPreference: executor) {
                isDone.signal()
                isDone.signal()
            }
        }

        #expect(executor.load.waiting == 0)
    }

    @Test func `has no more threads than its limit while all wait`() async {
        let mayGoOn = DispatchSemaphore(value: 0)
        let tasks = 20

        await withTaskGroup { group in
            for _ in 0..<tasks {
                group.addTask(executorPreference: executor) {
                    TurnExecutor.whileWaiting { mayGoOn.wait() }
                }
            }
            while executor.load.waiting < 4 { await Task.yield() }
            #expect(executor.load.threads == 4)
            #expect(executor.load.queued == tasks - 4)
            for _ in 0..<tasks { mayGoOn.signal() }
        }
    }

    @Test func `ends threads that have nothing to do`() async throws {
        let executor = TurnExecutor(limits: ThreadLimits(running: 8, total: 8))

        await withTaskGroup { group in
            for _ in 0..<8 { group.addTask(executorPreference: executor) { usleep(1000) } }
        }
        while executor.load.threads > 0 { try await Task.sleep(for: .milliseconds(1)) }

        #expect(executor.load.idle == 0)
        #expect(executor.load.waiting == 0)
    }

    @Test func `ends its threads when nobody holds it`() async throws {
        let name = "cairn-\(UInt16.random(in: 0...UInt16.max))"
        var executor: TurnExecutor? = TurnExecutor(name: name)
        // Looks while a thread runs the task, because an idle thread ends after a while.
        let hasThread = try await Task(executorPreference: executor) {
            try Self.threadNames().contains(name)
        }.value

        executor = nil
        while try Self.threadNames().contains(name) { try await Task.sleep(for: .milliseconds(1)) }

        #expect(hasThread)
    }

    /// Many tasks enqueue work repeatedly. Each task gets its share.
    @Test func `gives each task its share`() async {
        let executor = TurnExecutor(limits: ThreadLimits(running: 1, total: 1))
        let shares = Shares(9)

        await withTaskGroup { group in
            for number in 0..<9 {
                group.addTask(executorPreference: executor) {
                    while shares.total < 9_000 {
                        shares.add(1, to: number)
                        await Task.yield()
                    }
                }
            }
        }

        #expect(shares.most <= 2 * shares.least)
    }

    @Test func `lets a task of short turns go before tasks of long turns`() async {
        var positions: [Int] = []

        // Tasks with the same hash count as one task, so one round may fail.
        for _ in 0..<5 where positions.last.map({ $0 > 1 }) ?? true {
            positions.append(await positionOfShortTurn(among: 8))
        }

        // One of eight turns goes to the task that has waited longest.
        #expect(positions.last.map { $0 <= 1 } == true, "\(positions)")
    }

    /// Lets tasks have a long turn each, and one task a short one. Then they all wait for another turn,
    /// the task of the short turn last. Returns the number of turns before that of this task.
    private func positionOfShortTurn(among longCount: Int) async -> Int {
        let executor = TurnExecutor(limits: ThreadLimits(running: 1, total: 1))
        let (first, blocked, second) = (Order(), Order(), Order())

        await withTaskGroup { group in
            for number in 0...longCount {
                group.addTask {
                    await Self.turn(of: executor) {
                        if number < longCount { Self.compute(for: .milliseconds(2)) }
                        first.add(number)
                    }
                    while blocked.count == 0 { await Task.yield() }
                    while number == longCount, executor.load.queued < longCount {
                        await Task.yield()
                    }
                    await Self.turn(of: executor) { second.add(number) }
                }
            }
            while first.count <= longCount { await Task.yield() }
            let blocker = Blocker(executor)
            blocked.add(0)
            while executor.load.queued <= longCount { await Task.yield() }
            blocker.end()
        }

        return second.position(of: longCount)
    }

    private static func turn(
        of executor: TurnExecutor, _ body: @escaping @Sendable () -> Void
    ) async {
        await withTaskExecutorPreference(executor.laneOfTask) {
            await run { executor.runTurn(body) }
        }
    }

    @concurrent private static func run(_ body: @Sendable () -> Void) async { body() }

    /// Uses the processor for the given time.
    private static func compute(for time: Duration) {
        let start = processorTime
        while processorTime - start < time {}
    }

    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    private final class Order: Sendable {
        private let numbers = Mutex<[Int]>([])

        var count: Int { numbers.withLock { $0.count } }
        func add(_ number: Int) { numbers.withLock { $0.append(number) } }
        func position(of number: Int) -> Int {
            numbers.withLock { $0.firstIndex(of: number) ?? $0.count }
        }
    }

    private final class Shares: Sendable {
        private let counts: Mutex<[Int]>
        init(_ count: Int) { counts = Mutex([Int](repeating: 0, count: count)) }

        var total: Int { counts.withLock { $0.reduce(0, +) } }
        var most: Int { counts.withLock { $0.max() ?? 0 } }
        var least: Int { counts.withLock { $0.min() ?? 0 } }
        func add(_ count: Int, to number: Int) { counts.withLock { $0[number] += count } }
    }

    private static func threadNames() throws -> [String] {
        let tasks = URL(filePath: "/proc/self/task")
        return try FileManager.default.contentsOfDirectory(atPath: tasks.path).compactMap {
            try? String(contentsOf: tasks.appending(path: "\($0)/comm"), encoding: .utf8)
                .trimmingCharacters(in: .newlines)
        }
    }

    private final class Counter: Sendable {
        private let counts = Mutex((now: 0, most: 0))
        var most: Int { counts.withLock { $0.most } }

        func enter() {
            counts.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
        }
        func leave() { counts.withLock { $0.now -= 1 } }
    }
}
