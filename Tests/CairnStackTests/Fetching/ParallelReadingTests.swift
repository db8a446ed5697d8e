import CairnModel
import CairnRows
import CairnStore
import CairnThreads
import Dispatch
import Foundation
import StackSupport
import Synchronization
import Testing

@testable import CairnStack

@Suite(.timeLimit(.minutes(1))) struct `Reading stores in parallel` {
    private static func stack(worth: Duration?) throws -> LibraryStack {
        let stack = try LibraryStack()
        let stores = [try stack.add("Library"), try stack.add("Archive")]
        try stack.saveBooks((0..<3000).map { "\(10_000 + $0 * 2)" }, in: stores[0])
        try stack.saveBooks((0..<3000).map { "\(10_001 + $0 * 2)" }, in: stores[1])
        if let worth { stack.coordinator.parallelReading.worth = worth }
        return stack
    }

    @Test func `returns the same as reading them one after another`() throws {
        let stack = try Self.stack(worth: .zero)
        let titles = (0..<6000).map { "\(10_000 + $0)" }

        for _ in 0..<5 {
            #expect(try stack.titles(stack.plan(stack.book, sort: [("title", true)])) == titles)
            #expect(try Set(stack.titles(stack.plan(stack.book))) == Set(titles))
            #expect(
                try stack.titles(
                    stack.plan(stack.book, sort: [("title", true)], offset: 1500, limit: 2000))
                    == Array(titles[1500..<3500]))
            #expect(try stack.coordinator.count(stack.plan(stack.book), in: nil) == 6000)
        }
        #expect(stack.coordinator.executor.load.threads > 0)
    }

    @Test func `starts no thread for a short fetch or a fetch from one store`() throws {
        let stack = try Self.stack(worth: .seconds(3600))
        let single = try LibraryStack()
        try single.add()
        try single.saveBooks(["a", "b"])
        single.coordinator.parallelReading.worth = .zero

        for _ in 0..<5 {
            _ = try stack.titles(stack.plan(stack.book))
            _ = try single.titles(single.plan(single.book))
        }

        #expect(stack.coordinator.executor.load.threads == 0)
        #expect(single.coordinator.executor.load.threads == 0)
    }

    @Test func `reads a whole cursor on another thread`() throws {
        let executor = TurnExecutor(limits: ThreadLimits(running: 1, total: 1))
        let source = NumberedCursor(batches: 3, of: 10, on: executor)
        let cursor = ReadAheadCursor(try plan(), rowsPerBatch: 10, on: executor) { source }
        source.hasBegun.wait()

        var keys: [Int64] = []
        while let batch = try cursor.next(atMost: 4) {
            #expect(batch.count <= 4)
            keys += batch.ids.map(\.key)
        }

        #expect(keys == Array(0..<30))
        let readAhead = source.batchesOfExecutor.load(ordering: .relaxed)
        #expect(readAhead == 4)
        #expect(try cursor.next(atMost: 4) == nil)
    }

    @Test func `stops after the current batch when the cursor is ended`() throws {
        let executor = TurnExecutor(limits: ThreadLimits(running: 1, total: 1))
        let source = NumberedCursor(batches: .max, of: 1, on: executor)
        let cursor = ReadAheadCursor(try plan(), rowsPerBatch: 1, on: executor) { source }
        source.hasBegun.wait()

        cursor.end()
        let count = source.batchesOfExecutor.load(ordering: .relaxed)
        usleep(5000)

        let later = source.batchesOfExecutor.load(ordering: .relaxed)
        #expect(later == count)
    }

    @Test func `throws the error of another store`() throws {
        let executor = TurnExecutor(limits: ThreadLimits(running: 1, total: 1))
        let source = NumberedCursor(batches: 2, of: 1, on: executor, failure: .deadlineExceeded)
        let cursor = ReadAheadCursor(try plan(), rowsPerBatch: 1, on: executor) { source }

        let error = #expect(throws: StoreError.self) { try cursor.next(atMost: 1) }
        guard case .deadlineExceeded = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        cursor.end()
    }

    private func plan() throws -> FetchPlan {
        let stack = try LibraryStack()
        return try stack.plan(stack.book)
    }
}

/// Returns IDs with keys from 0 upward, and counts the batches that an executor's threads requested.
private final class NumberedCursor: RowCursor, @unchecked Sendable {
    // Unchecked because one thread reads the cursor; others only use its semaphore and its atomic count.
    let completed = CompletedStages()
    let hasBegun = DispatchSemaphore(value: 0)
    let batchesOfExecutor = Atomic(0)
    private let executor: TurnExecutor
    private let batches: Int
    private let size: Int
    private let failure: StoreError?
    private var read = 0

    init(batches: Int, of size: Int, on executor: TurnExecutor, failure: StoreError? = nil) {
        self.batches = batches
        self.size = size
        self.executor = executor
        self.failure = failure
    }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        if read == 0 { hasBegun.signal() }
        if executor.isCurrent { batchesOfExecutor.add(1, ordering: .relaxed) }
        guard read < batches else {
            if let failure { throw failure }
            return nil
        }
        defer { read += 1 }
        return RowBatch(
            ids: (read * size..<(read + 1) * size).map {
                ObjectID(
                    store: StoreNumber(rawValue: 1), rootEntity: EntityNumber(0),
                    entity: EntityNumber(0), key: Int64($0))
            })
    }
}
