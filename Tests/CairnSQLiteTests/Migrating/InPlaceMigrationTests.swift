import CairnModel
import CairnStore
import CairnTestSupport
import Foundation
import MigrationSupport
import Testing

@testable import CairnSQLite

@Suite struct `Migration in place` {
    @Test(arguments: MigrationCase.all)
    func `produces the objects, the schema and the metadata of the new version`(
        _ change: MigrationCase
    ) throws {
        let subject = try MigrationSubject(change.old, change.new)
        let verdict = InferenceVerdict(from: subject.changes.old, to: subject.changes.new)
        try #require(verdict.isPossible, "\(verdict.refusals)")

        try subject.migrateAndCheck(ignoresJoinNames: change.ignoresJoinNames)
    }

    private func subject() throws -> MigrationSubject {
        try MigrationSubject(
            [EntityDescription("Item", [.attribute("name", .string), .attribute("old", .date)])],
            [EntityDescription("Item", [.attribute("name", .string), .attribute("new", .date)])])
    }

    @Test func `reports its steps, all except the commit`() throws {
        let subject = try subject()
        var reports: [[Int]] = []

        let isDone = try SQLiteStore.migrateInPlace(
            subject.request(subject.changes.new), subject.changes, defersCleanup: false
        ) { done, total in
            reports.append([done, total])
            return true
        }

        let total = reports.count + 1
        #expect(isDone)
        #expect(reports == (1..<total).map { [$0, total] })
        #expect(reports.count > 3)
    }

    @Test(arguments: 1...5)
    func `leaves the store unchanged if it is cancelled after a step`(_ step: Int) throws {
        let subject = try subject()
        let bytes = try Data(contentsOf: subject.url)

        let error = #expect(throws: StoreError.self) {
            try SQLiteStore.migrateInPlace(
                subject.request(subject.changes.new), subject.changes, defersCleanup: false
            ) { done, _ in done < step }
        }

        guard case .cancelled? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try Data(contentsOf: subject.url) == bytes)
        let store = try SQLiteStore.open(subject.request(subject.changes.old))
        defer { try? store.close() }
        #expect(try StoreImage(store) == subject.before)
    }
}
