import Cairn
import CairnStore
import CairnTestSupport
import Foundation
import GraphSupport
import MigrationSupport
import Testing

@testable import CairnStoreCopying

/// A copy that differs from what was written is refused, whatever the difference.
@Suite struct `Verification of a migrated copy` {
    /// How the expected content differs from the content of the copy.
    enum Difference: String, CaseIterable, Sendable {
        case none = ""
        case value, toOne, key = "Book: "
        case object = "Tag: "
        case pair = "Book.tags: the migrated copy has"
        case position = "Book.tags: positions"

        /// The beginning of the error's message.
        var beginning: String {
            switch self {
            case .value, .toOne: "Book: "
            default: rawValue
            }
        }
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func trial(_ type: StoreType) throws -> MigrationTrial {
        let new = ChangeCase.library.changing("Author") {
            $0.properties.append(.attribute("born", .date))
        }
        return try MigrationTrial(
            type, from: ManagedObjectModel(ChangeCase.library), to: ManagedObjectModel(new),
            in: folder)
    }

    @Test(arguments: everyFileEngine, Difference.allCases)
    func `finds what differs`(_ type: StoreType, _ difference: Difference) throws {
        let trial = try trial(type)
        _ = try trial.make()
        let store = try trial.open(trial.old)
        defer { try? store.close() }
        let tags = try #require(trial.old.entity(named: "Book")?.relationship(named: "tags"))
        let written = try difference.sums(of: store, tags)

        let refusal = Result { () throws(StoreError) in
            try CopyVerification(of: store, at: .file(trial.url)).run(written, [tags])
        }

        switch refusal {
        case .success: #expect(difference == .none)
        case .failure(.migrationRefused(_, let findings)):
            #expect(difference != .none)
            #expect(findings.count == 1)
            #expect("\(findings[0])".hasPrefix(difference.beginning))
        case .failure(let error): Issue.record("refused with \(error)")
        }
    }

    @Test(arguments: everyRowWritingEngine)
    func `refuses a copy that changed before it was complete`(_ type: StoreType) throws {
        let trial = try trial(type)
        let before = try trial.make()

        let error = #expect(throws: StoreCopyError.self) {
            _ = try trial.migration(allowsInPlace: false).run { progress in
                if progress.objectCount == progress.totalObjectCount, progress.pairCount == 0 {
                    try? changeCopy(of: trial)
                }
                return .proceed
            }
        }

        guard case .store(.migrationRefused(_, let findings))? = error else {
            Issue.record("refused with \(String(describing: error))")
            return
        }
        #expect(findings.map(\.entity) == ["Author"])
        let store = try trial.open(trial.old)
        defer { try? store.close() }
        #expect(try StoreImage(store) == before)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
                .allSatisfy { !$0.contains(".copy-") })
    }

    /// Deletes an object from the copy that a migration is writing.
    private func changeCopy(of trial: MigrationTrial) throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        let hidden = try #require(files.first { $0.contains(".copy-") })
        let url = folder.file(hidden).appending(path: "stage-1/store.db")
        let copy = try trial.engine.open(
            OpenRequest(location: .file(url), model: trial.new, createsMissing: false))
        defer { try? copy.close() }
        let snapshot = try copy.snapshot()
        let author = try #require(trial.new.entity(named: "Author"))
        let batch = try snapshot.cursor(FetchPlan(entity: author)).next(atMost: 1)
        let row = try #require(batch?.rows.first { _ in true })
        snapshot.end()
        let transaction = try copy.beginSave()
        defer { transaction.rollback() }
        try transaction.prepare(
            SaveRequest(deleted: [RowDeletion(id: row.id, previousVersion: row.version)]))
        _ = try transaction.commit()
    }
}

extension `Verification of a migrated copy`.Difference {
    /// Returns the content sums of a store, modified by the difference.
    fileprivate func sums(
        of store: any PersistentStore, _ tags: Relationship
    ) throws -> ContentSums {
        var sums = ContentSums(of: store.number, store.request.layouts)
        let snapshot = try store.snapshot()
        defer { snapshot.end() }
        for root in store.request.model.entities {
            let batch = try snapshot.cursor(FetchPlan(entity: root)).next(atMost: 1000)
            var rows = Array(try #require(batch).rows)
            if root.name == "Tag", self == .object { rows.removeLast() }
            if root.name == "Book" { rows[0] = try changed(rows[0], in: store) }
            try sums.add(RowBatch(rows))
        }
        let cursor = try snapshot.cursor(FetchPlan(entity: tags.entity, output: .ids))
        let owners = try #require(try cursor.next(atMost: 1000)).ids
        let related = try snapshot.relatedIDs(tags, of: owners)
        var pairs: [PairChange] = []
        for (index, owner) in owners.enumerated() {
            for member in related.range(ofOwnerAt: index) {
                pairs.append(
                    PairChange(
                        .insert, tags, owner: owner, member: related.members[member],
                        orderKey: related.orderKeys[member]))
            }
        }
        if self == .pair { pairs.removeLast() }
        if self == .position { pairs[0].orderKey = (pairs[0].orderKey ?? 0) + 1 }
        sums.add(pairs)
        return sums
    }

    /// Returns a row of a book with a changed value.
    private func changed(_ row: Row, in store: any PersistentStore) throws -> Row {
        let layout = try #require(store.request.layouts.layout(of: row.entity))
        var writer = RowWriter(store: store.number)
        writer.begin(layout, key: self == .key ? row.key + 1 : row.key, version: row.version)
        for (property, slot) in zip(layout.properties, layout.slots) {
            switch (self, property.name) {
            case (.value, "title"): try writer.set(.string("another"), at: slot, of: layout)
            case (.toOne, "author"):
                let isNull = row.isNull(slot)
                let key = isNull ? 1 : row.objectID(slot).key + 1
                writer.set(
                    key: key,
                    entity: try #require(store.request.model.entity(named: "Author")).number,
                    at: slot)
            default: try writer.set(slot, from: row, at: slot)
            }
        }
        writer.endRow()
        return try #require(writer.takeBatch().rows.first { _ in true })
    }
}
