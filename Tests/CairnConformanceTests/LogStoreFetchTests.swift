import CairnModel
import CairnTestSupport
import LogStore
import Testing

@testable import CairnEngineKit
@testable import CairnRows
@testable import CairnStore

/// The number of rows that a fetch of a log tests.
@Suite struct `Fetches of a log store` {
    private let folder: TemporaryFolder
    private let request: OpenRequest
    private let note: Entity

    init() throws {
        folder = try TemporaryFolder()
        var note = EntityDescription("Note", [.attribute("n", .integer64)])
        note.fetchIndexes = [.init("byN", elements: [.init("n")])]
        let model = try ManagedObjectModel([note])
        request = OpenRequest(location: .file(folder.file("store")), model: model)
        self.note = try #require(model.entity(named: "Note"))
    }

    private func save(_ keys: ClosedRange<Int64>, in store: LogStore) throws {
        let layout = request.layouts.layout(of: note)
        var writer = RowWriter(store: store.number)
        for key in keys {
            writer.begin(layout, key: key, version: 1)
            writer.set(key, at: layout.slots[0])
            writer.endRow()
        }
        let save = try store.beginSave()
        try save.prepare(SaveRequest(inserted: writer.takeBatch()))
        _ = try save.commit()
    }

    private func scan(_ text: String, of store: LogStore) throws -> RowScan {
        let predicate = try FetchPredicate(format: text).bound(to: note)
        return try RowScan(
            FetchPlan(entity: note, predicate: predicate),
            on: try #require(try store.snapshot() as? ContentSnapshot))
    }

    @Test func `use indexes, and so do fetches after the log was read`() throws {
        let store = try LogStore.open(request)
        try save(1...500, in: store)
        try save(501...1000, in: store)
        var saved = try scan("n > 990", of: store)
        let savedCount = try saved.next(atMost: .max).count
        store.close()
        let again = try LogStore.open(request)
        var read = try scan("n == 7", of: again)
        let readCount = try read.next(atMost: .max).count
        again.close()

        #expect((savedCount, readCount) == (10, 1))
        #expect(saved.testedCount <= 11)
        #expect(read.testedCount == 1)
    }
}
