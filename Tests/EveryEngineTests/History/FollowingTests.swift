import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Following the histories of stores as they grow.
@Suite struct `A follower of a history` {
    /// Returns the authors of the first transactions that a follower gets.
    private func authors(
        _ follower: PersistentHistoryFollower, _ count: Int
    ) async throws -> [String?] {
        var authors: [String?] = []
        for try await transaction in follower {
            authors.append(transaction.author)
            if authors.count == count { break }
        }
        return authors
    }

    private func save(_ stack: HistoryStack, _ authors: ClosedRange<Int>) throws {
        for author in authors {
            try stack.save(author: "\(author)") { _ = try $0.insert("Person", ["name": "a"]) }
        }
    }

    @Test(arguments: everyEngine)
    func `gets what was saved before, and then each save of its coordinator, once and in order`(
        _ type: StoreType
    ) async throws {
        let stack = try HistoryStack([type])
        try save(stack, 1...3)
        let follower = stack.coordinator.followHistory()
        async let found = authors(follower, 40)
        for author in 4...40 {
            try save(stack, author...author)
            await Task.yield()
        }

        #expect(try await found == (1...40).map { "\($0)" })
    }

    @Test(arguments: everyFileEngine)
    func `gets the saves of other coordinators, and leaves out those of an author`(
        _ type: StoreType
    ) async throws {
        let stack = try HistoryStack([type])
        let other = try HistoryStack([type], in: stack.folder)
        let follower = stack.coordinator.followHistory { $0.author != "2" }
        async let found = authors(follower, 4)
        try save(other, 1...5)

        #expect(try await found == ["1", "3", "4", "5"])
    }

    /// A scale of 10 or more makes it a minute of 1,000 saves per second.
    @Test(arguments: everyFileEngine.filter { !everyWholeFileEngine.contains($0) })
    func `keeps up with another program that saves all the time, and misses and repeats nothing`(
        _ type: StoreType
    ) async throws {
        let stack = try HistoryStack([type])
        let (rate, seconds) = TestSetting.isLong ? (1_000, 60) : (100, 2)
        let arguments = [
            "people", "stream", "\(rate)", "\(seconds)", type.rawValue, stack.url().path,
        ]
        let follower = stack.coordinator.followHistory()
        let following = Task { try await self.delays(follower, rate * seconds) }

        // Waiting for the worker must not take a thread from the follower.
        let time = await withCheckedContinuation { (waiter: CheckedContinuation<String?, Never>) in
            Thread {
                let worker = try? WorkerProcess(arguments)
                var line = worker?.line().flatMap { _ in worker?.answer(to: "go") }
                while line?.hasPrefix("saved ") ?? false { line = worker?.line() }
                waiter.resume(returning: line)
            }.start()
        }
        // Without all saves, the follower would wait for ever.
        if time == nil { following.cancel() }
        let (authors, found) = try await following.value

        #expect(authors == (0..<rate * seconds).map { "\($0)" })
        try #require(!found.isEmpty)
        let sorted = found.sorted().map { Int($0 * 1_000) }
        print(
            "\(type): \(rate * seconds) saves \(time ?? "?") s; delay in ms: median"
                + " \(sorted[sorted.count / 2]), 99 % \(sorted[sorted.count * 99 / 100]),"
                + " maximum \(sorted[sorted.count - 1])")
    }

    /// Returns the authors of the first transactions, and for each the seconds between its time and its
    /// arrival.
    private func delays(
        _ follower: PersistentHistoryFollower, _ count: Int
    ) async throws -> ([String?], [Double]) {
        var (authors, delays) = ([String?](), [Double]())
        for try await transaction in follower {
            authors.append(transaction.author)
            delays.append(-transaction.timestamp.timeIntervalSinceNow)
            if authors.count == count { break }
        }
        return (authors, delays)
    }

    @Test func `continues after a token`() async throws {
        let stack = try HistoryStack(["LMDB", "InMemory"])
        try save(stack, 1...3)
        let token = try stack.coordinator.currentPersistentHistoryToken()
        try save(stack, 4...5)

        let found = try await authors(stack.coordinator.followHistory(after: token), 2)

        #expect(found == ["4", "5"])
    }

    @Test func `ends when its task is cancelled`() async throws {
        let stack = try HistoryStack(["InMemory"])
        let task = Task {
            var count = 0
            for try await _ in stack.coordinator.followHistory() { count += 1 }
            return count
        }
        try save(stack, 1...1)
        task.cancel()

        let count = try await task.value

        #expect(count <= 1)
    }

    @Test func `reports that its token cannot be used`() async throws {
        let stack = try HistoryStack(["SQLite"])
        try save(stack, 1...1)
        let old = try #require(try stack.coordinator.currentPersistentHistoryToken())
        try save(stack, 2...3)
        try stack.coordinator.deleteHistory(before: .distantFuture)
        var iterator = stack.coordinator.followHistory(after: old).makeAsyncIterator()

        do {
            let found = try await iterator.next()
            Issue.record("\(found as Any)")
        } catch GraphError.store(.historyUnavailable(_, let gap)) {
            #expect(gap == .purged)
        }
    }
}
