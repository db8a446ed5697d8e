import CairnModel
import Foundation
import Testing

@testable import CairnEngineKit
@testable import CairnRows
@testable import CairnStore

/// A snapshot over a fixture that counts the calls that it receives.
private final class CountingSnapshot: StoreSnapshot, @unchecked Sendable {
    // Unchecked because a single thread of a single test uses it.
    let fixture: EvaluationFixture
    private(set) var callCount = 0

    init(_ fixture: EvaluationFixture) { self.fixture = fixture }

    var generation: StoreGeneration { StoreGeneration(1) }
    func cursor(_ plan: FetchPlan) throws(StoreError) -> any RowCursor { EmptyCursor() }
    func count(_ plan: FetchPlan) throws(StoreError) -> Int? { nil }
    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data { Data() }

    func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch {
        callCount += 1
        return RowBatch(ids.compactMap { fixture.rows[$0] })
    }

    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(StoreError) -> RelatedIDs {
        callCount += 1
        var related = RelatedIDs()
        for id in ids {
            for member in fixture.members(of: relationship, owner: id) { related.append(member) }
            related.endOwner()
        }
        return related
    }

    private final class EmptyCursor: RowCursor {
        let completed = CompletedStages()
        func next(atMost count: Int) throws(StoreError) -> RowBatch? { nil }
    }
}

@Suite struct `Snapshot resolver` {
    private func family() throws -> EvaluationFixture {
        let fixture = try EvaluationFixture()
        for key in 1...30 as ClosedRange<Int64> {
            let mentor = try fixture.id("Author", key / 2)
            try fixture.insert(
                "Author", key, ["age": .integer(key), "mentor": .objectID(mentor)])
            try fixture.insert(
                "Book", key, ["pages": .integer(key * 10), "author": .objectID(mentor)])
        }
        return fixture
    }

    @Test(arguments: [
        ("mentor.mentor.age > 3", 1), ("ANY books.pages > 100", 2), ("pupils.@count = 2", 1),
        ("ANY mentor.books.pages = 40", 3), ("age > 3", 0), ("mentor != NULL", 0),
        ("SUBQUERY(pupils, $p, $p.age > 10).@count > 0", 2),
        ("SUBQUERY(pupils, $p, $p.mentor.age > 5).@count > 0", 3),
    ])
    func `reads each step of a path in one call for a whole batch`(
        _ text: String, _ expectedCallCount: Int
    ) throws {
        let fixture = try family()
        let author = try fixture.entity("Author")
        let predicate = try FetchPredicate(format: text).bound(to: author)
        let snapshot = CountingSnapshot(fixture)
        let resolver = SnapshotResolver(snapshot, layouts: fixture.layouts)
        let filter = try RowFilter(predicate, layouts: fixture.layouts, resolver: resolver)
        let batch = RowBatch(fixture.ids(of: author).compactMap { fixture.rows[$0] })

        try resolver.prefetch(predicate.paths, for: batch)
        let result = try filter.filter(batch)

        #expect(snapshot.callCount == expectedCallCount)
        #expect(result.ids.map(\.key) == (try fixture.keys(of: "Author", where: text)))
        #expect(!result.isEmpty)
    }

    @Test func `returns the same without prefetching, and after clearing its cache`() throws {
        let fixture = try family()
        let author = try fixture.entity("Author")
        let text = "ANY mentor.books.pages = 40 OR mentor.age = NULL"
        let predicate = try FetchPredicate(format: text).bound(to: author)
        let resolver = SnapshotResolver(CountingSnapshot(fixture), layouts: fixture.layouts)
        let filter = try RowFilter(predicate, layouts: fixture.layouts, resolver: resolver)
        let batch = RowBatch(fixture.ids(of: author).compactMap { fixture.rows[$0] })

        let first = try filter.filter(batch)
        resolver.forget()
        let second = try filter.filter(batch)

        #expect(first.ids == second.ids)
        #expect(first.ids.map(\.key) == (try fixture.keys(of: "Author", where: text)))
    }
}
