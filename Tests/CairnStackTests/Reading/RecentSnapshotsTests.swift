import CairnModel
import CairnRows
import CairnStore
import CairnTesting
import Foundation
import StackSupport
import Synchronization
import Testing

@testable import CairnStack

@Suite struct `Recent snapshots` {
    private let recent = RecentSnapshots()

    /// Performs one read and returns the snapshot that it used.
    private func read(orTake new: EmptySnapshot) throws -> any StoreSnapshot {
        try recent.read(orTake: { () throws(StoreError) in new }) { snapshot in snapshot }
    }

    @Test func `serve consecutive reads`() throws {
        // A timer may discard the snapshot between two reads, but is unlikely to do so between all of them.
        let used = try (0..<100).map { _ in try read(orTake: EmptySnapshot()) }

        #expect(zip(used, used.dropFirst()).contains { $0 === $1 })
    }

    @Test func `have one user at a time`() throws {
        let (outer, inner) = (EmptySnapshot(), EmptySnapshot())

        let used = try recent.read(orTake: { () throws(StoreError) in outer }) { snapshot in
            (snapshot, (try? read(orTake: inner)))
        }

        #expect(used.0 === outer)
        #expect(used.1 === inner)
    }

    @Test func `serve no reads after they are discarded`() throws {
        let second = EmptySnapshot()
        _ = try read(orTake: EmptySnapshot())

        recent.forgetAll()

        #expect(try read(orTake: second) === second)
    }

    @Test func `are not kept if they were discarded while in use`() throws {
        let second = EmptySnapshot()
        _ = try recent.read(orTake: { () throws(StoreError) in EmptySnapshot() }) { _ in
            recent.forgetAll()
        }

        #expect(try read(orTake: second) === second)
    }

    @Test func `are not kept if they were discarded while being taken`() throws {
        let second = EmptySnapshot()
        var newest = StoreGeneration(1)
        let take = { () throws(StoreError) -> any StoreSnapshot in
            let snapshot = EmptySnapshot()
            // A save ends.
            newest = StoreGeneration(2)
            recent.forgetAll()
            return snapshot
        }
        try recent.read(orTake: take, keepingIf: { $0.generation >= newest }) { _ in }

        let used = try read(orTake: second)

        #expect(used === second)
    }

    @Test func `are not kept if a newer state is known`() throws {
        let (first, second) = (EmptySnapshot(), EmptySnapshot())
        try recent.read(orTake: { () throws(StoreError) in first }, keepingIf: { _ in false }) {
            _ in
        }

        let used = try read(orTake: second)

        #expect(used === second)
        #expect(first.isEnded)
    }

    @Test func `are not kept after a read that failed`() throws {
        let second = EmptySnapshot()
        let failure = StoreError.closed(.memory("a store"))

        #expect(throws: StoreError.self) {
            try recent.read(orTake: { () throws(StoreError) in EmptySnapshot() }) {
                (_) throws(StoreError) in throw failure
            }
        }

        #expect(try read(orTake: second) === second)
    }
}

@Suite struct `Reads after a save of the same coordinator` {
    @Test func `include the save, even if a snapshot was being taken when it ended`() throws {
        let (stack, faults) = (try LibraryStack(), StoreFaults())
        let store = try stack.add(faults: faults)
        let ids = try stack.saveBooks(["a"])
        let changes = Mutex([try stack.update([ids[0]: ["title": .string("b")]])])
        func generation() throws -> StoreGeneration {
            try stack.coordinator.withState(of: store.number, isNewest: false) {
                $0.snapshot.generation
            }
        }
        // The first read tells the coordinator the newest state.
        _ = try generation()
        stack.coordinator.attachedStores[0].recentSnapshots.forgetAll()
        let after = Mutex<StoreGeneration?>(nil)
        faults.observe(.snapshot, .afterSuccess, calls: 1...1) {
            guard let update = changes.withLock({ $0.popLast() }) else { return }
            _ = try? stack.coordinator.save(update)
            after.withLock { $0 = try? store.newestGeneration() }
        }

        let during = try generation()
        let next = try generation()

        let saved = try #require(after.withLock { $0 })
        #expect(during < saved)
        #expect(next == saved)
    }
}

private final class EmptySnapshot: StoreSnapshot {
    let generation = StoreGeneration(1)
    private let ended = Atomic(false)

    var isEnded: Bool { ended.load(ordering: .relaxed) }

    func end() { ended.store(true, ordering: .relaxed) }

    func cursor(_ plan: FetchPlan) throws(StoreError) -> any RowCursor { NoRows() }
    func count(_ plan: FetchPlan) throws(StoreError) -> Int? { 0 }
    func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch { RowBatch() }
    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(StoreError) -> RelatedIDs { RelatedIDs() }
    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data { Data() }

    private final class NoRows: RowCursor {
        let completed = CompletedStages()
        func next(atMost count: Int) throws(StoreError) -> RowBatch? { nil }
    }
}
