import CairnModel
import CairnStore
import Foundation
import Testing

@testable import CairnGraph

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

private final class EmptySnapshot: StoreSnapshot {
    let generation = StoreGeneration(1)

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
