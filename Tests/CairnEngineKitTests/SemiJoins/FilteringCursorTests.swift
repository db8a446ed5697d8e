import CairnModel
import Foundation
import Testing

@testable import CairnEngineKit
@testable import CairnRows
@testable import CairnStore

/// A snapshot of an engine that evaluates no predicates. Counts the rows that are requested.
private final class PlainSnapshot: StoreSnapshot, @unchecked Sendable {
    // Unchecked because a single thread of a single test uses it.
    private let fixture: EvaluationFixture
    /// The numbers of rows read by cursors and by ID.
    private(set) var scannedCount = 0
    private(set) var askedCount = 0

    init(_ fixture: EvaluationFixture) { self.fixture = fixture }

    var generation: StoreGeneration { StoreGeneration(1) }
    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data { Data() }

    func cursor(_ plan: FetchPlan) throws(StoreError) -> any RowCursor {
        let rows = fixture.ids(of: plan.entity).compactMap { fixture.rows[$0] }
        return Cursor(rows, leaving: plan.predicate) { self.scannedCount += $0 }
    }

    func count(_ plan: FetchPlan) throws(StoreError) -> Int? {
        plan.predicate == nil ? fixture.ids(of: plan.entity).count : nil
    }

    func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch {
        askedCount += ids.count
        return RowBatch(ids.compactMap { fixture.rows[$0] })
    }

    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(StoreError) -> RelatedIDs {
        askedCount += ids.count
        var related = RelatedIDs()
        for id in ids {
            for member in fixture.members(of: relationship, owner: id) { related.append(member) }
            related.endOwner()
        }
        return related
    }

    private final class Cursor: RowCursor {
        let completed: CompletedStages
        private var rows: ArraySlice<Row>
        private let note: (Int) -> Void

        init(_ rows: [Row], leaving predicate: BoundPredicate?, _ note: @escaping (Int) -> Void) {
            self.rows = rows[...]
            self.note = note
            completed = CompletedStages(remainingPredicate: predicate)
        }

        func next(atMost count: Int) throws(StoreError) -> RowBatch? {
            if rows.isEmpty { return nil }
            defer { rows = rows.dropFirst(count) }
            note(min(count, rows.count))
            return RowBatch(rows.prefix(count))
        }
    }
}

@Suite struct `Filtering cursor` {
    /// Returns 600 books by 30 authors. Every author except the first has a mentor.
    private func library() throws -> EvaluationFixture {
        let fixture = try EvaluationFixture()
        for key in 1...30 as ClosedRange<Int64> {
            let mentor: Value = key == 1 ? .null : .objectID(try fixture.id("Author", key - 1))
            try fixture.insert("Author", key, ["age": .integer(key), "mentor": mentor])
        }
        for key in 1...600 as ClosedRange<Int64> {
            let author = try fixture.id("Author", key % 30 + 1)
            try fixture.insert("Book", key, ["pages": .integer(key), "author": .objectID(author)])
        }
        return fixture
    }

    private func run(
        _ text: String, on snapshot: PlainSnapshot, _ fixture: EvaluationFixture, atMost: Int
    ) throws -> Int {
        let book = try fixture.entity("Book")
        let predicate = try FetchPredicate(format: text).bound(to: book)
        let cursor = try snapshot.cursor(FetchPlan(entity: book)).filtered(
            by: predicate, snapshot: snapshot, layouts: fixture.layouts, isCancellable: false)
        var count = 0
        while let batch = try cursor.next(atMost: atMost) { count += batch.count }
        return count
    }

    @Test(arguments: [
        ("author.age > 20", 200, 30), ("author.mentor.age == 7", 20, 59),
        ("NOT (author.age > 20 OR author.mentor = NULL)", 380, 60),
    ])
    func `reads each related object once per step, whatever the number of rows`(
        _ text: String, _ matchCount: Int, _ relatedCount: Int
    ) throws {
        let fixture = try library()
        let snapshot = PlainSnapshot(fixture)

        let found = try run(text, on: snapshot, fixture, atMost: 600)

        #expect(found == matchCount)
        #expect(snapshot.scannedCount + snapshot.askedCount == 600 + relatedCount)
    }

    @Test func `follows relationships while few rows are tested`() throws {
        let fixture = try library()
        let snapshot = PlainSnapshot(fixture)
        let book = try fixture.entity("Book")
        let predicate = try FetchPredicate(format: "author.age > 0").bound(to: book)
        let cursor = try snapshot.cursor(FetchPlan(entity: book)).filtered(
            by: predicate, snapshot: snapshot, layouts: fixture.layouts, isCancellable: false)

        let batch = try cursor.next(atMost: 3)

        #expect(batch.map(\.count) == 3)
        #expect(snapshot.scannedCount == 3)
        #expect(snapshot.askedCount == 3)
    }

    @Test func `returns the same after switching to semi-joins`() throws {
        let fixture = try library()

        let together = try run(
            "author.age < 11", on: PlainSnapshot(fixture), fixture, atMost: 600)
        let inSmallBatches = try run(
            "author.age < 11", on: PlainSnapshot(fixture), fixture, atMost: 7)

        #expect(together == 200)
        #expect(inSmallBatches == 200)
    }
}
