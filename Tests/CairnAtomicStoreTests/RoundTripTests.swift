import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import StoreFileSupport
import Testing

@Suite struct `A reopened whole file` {
    @Test(arguments: CounterStore.typeNames)
    func `contains every value, pair and order key that was saved`(_ type: String) throws {
        let engine = try #require(CounterStore.engines.first { $0.type.rawValue == type })
        let folder = try TemporaryFolder()
        let request = OpenRequest(
            location: .file(folder.file("sample")),
            model: try ManagedObjectModel(SampleModel.entities))
        let store = try engine.open(request)
        try SampleModel.fill(store)
        let saved = try SampleModel.readAll(store)
        let metadata = try store.metadata()
        try store.close()

        let reopened = try engine.open(request)

        #expect(try SampleModel.readAll(reopened) == saved)
        #expect(try reopened.metadata() == metadata)
        #expect(try engine.metadata(at: request.location) == metadata)
        #expect(saved.count > 60)
    }

    @Test(arguments: CounterStore.typeNames)
    func `opens with the model inside`(_ type: String) throws {
        let engine = try #require(CounterStore.engines.first { $0.type.rawValue == type })
        let folder = try TemporaryFolder()
        let model = try ManagedObjectModel(SampleModel.entities)
        let location = StoreLocation.file(folder.file("sample"))
        let store = try engine.open(OpenRequest(location: location, model: model))
        try SampleModel.fill(store)
        let saved = try SampleModel.readAll(store)
        try store.close()

        let inside = try ManagedObjectModel(try #require(try engine.model(at: location)))
        let reopened = try engine.open(
            OpenRequest(location: location, model: inside, isReadOnly: true))

        #expect(try SampleModel.readAll(reopened) == saved)
        #expect(inside.entityVersionHashes == model.entityVersionHashes)
        let counts = try engine.entityCounts(at: location)
        #expect(counts == ["Box": 3, "Item": 18, "Mark": 4, "Part": 6])
        #expect(throws: StoreError.self) { _ = try reopened.beginSave() }
    }

    @Test(arguments: CounterStore.typeNames)
    func `does not open with another model`(_ type: String) throws {
        let counters = try CounterStore(type)
        try counters.open().close()
        let other = try ManagedObjectModel([
            EntityDescription("Counter", [.attribute("value", .string)])
        ])

        let error = #expect(throws: StoreError.self) {
            try counters.engine.open(OpenRequest(location: .file(counters.file), model: other))
        }

        guard case .modelMismatch(_, let differences)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(differences.map(\.entity) == ["Counter"])
    }

    @Test(arguments: CounterStore.typeNames)
    func `assigns no key twice, even if the highest was deleted`(_ type: String) throws {
        let counters = try CounterStore(type)
        let store = try counters.open()
        let number = try #require(counters.model.entity(named: "Counter")).number
        let first = try store.beginSave()
        let keys = try first.reserveKeys([number: 3])
        try first.prepare(
            SaveRequest(inserted: RowBatch([counters.row(store, 3, value: 1)])))
        _ = try first.commit()
        let id = try #require(try counters.rows(store).first?.id)
        try counters.save(
            store, SaveRequest(deleted: [RowDeletion(id: id, previousVersion: 1)]))
        try store.close()

        let reopened = try counters.open()
        let later = try reopened.beginSave().reserveKeys([number: 1])

        #expect(keys == [number: 1..<4])
        #expect(later == [number: 4..<5])
    }
}
