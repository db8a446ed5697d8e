import CairnBinary
import CairnModel
import CairnStore
import CairnTestSupport
import CairnXML
import Foundation
import Testing

/// A file of counters, as the worker knows them, and short words for it.
struct CounterStore {
    static let engines: [any FileStore.Type] = [BinaryStore.self, XMLStore.self]
    static let typeNames = engines.map { $0.type.rawValue }

    let engine: any FileStore.Type
    let model: ManagedObjectModel
    let folder: TemporaryFolder
    let file: URL

    init(_ type: String) throws {
        engine = try #require(Self.engines.first { $0.type.rawValue == type })
        model = try ManagedObjectModel([
            EntityDescription(
                "Counter", [.attribute("value", .integer64), .attribute("note", .string)])
        ])
        folder = try TemporaryFolder()
        file = folder.file("counters")
    }

    func open(
        isReadOnly: Bool = false, createsMissing: Bool = true, options: StoreOptions = [:]
    ) throws -> any PersistentStore {
        try engine.open(
            OpenRequest(
                location: .file(file), model: model, isReadOnly: isReadOnly,
                createsMissing: createsMissing, options: options))
    }

    func worker(_ verb: String, _ numbers: Int...) throws -> WorkerProcess {
        try WorkerProcess(
            named: "WholeFileTestWorker",
            [verb, engine.type.rawValue, file.path] + numbers.map(String.init))
    }

    func row(
        _ store: any PersistentStore, _ key: Int64, version: Int64 = 1, value: Int64,
        note: String? = nil
    ) throws -> Row {
        let layout = store.request.layouts.layout(of: try #require(model.entity(named: "Counter")))
        var writer = RowWriter(store: store.number)
        writer.begin(layout, key: key, version: version)
        for (property, slot) in zip(layout.properties, layout.slots) {
            let isNote = property.name == "note"
            try writer.set(
                isNote ? note.map(Value.string) ?? .null : .integer(value), at: slot, of: layout)
        }
        writer.endRow()
        return writer.takeBatch()[row: 0]
    }

    func insert(_ store: any PersistentStore, _ rows: Row...) throws {
        try save(store, SaveRequest(inserted: RowBatch(rows)))
    }

    func save(_ store: any PersistentStore, _ request: SaveRequest) throws {
        let transaction = try store.beginSave()
        try transaction.prepare(request)
        _ = try transaction.commit()
    }

    /// Adds 1 to a counter, as often as it takes.
    func increment(_ store: any PersistentStore, _ key: Int64) throws {
        while true {
            let old = try #require(try rows(store).first { $0.key == key })
            let update = RowUpdate(
                row: try row(
                    store, key, version: old.version + 1, value: try value(of: old) + 1),
                previousVersion: old.version, changedSlots: [0, 1])
            do {
                return try save(store, SaveRequest(updated: [update]))
            } catch StoreError.rowConflicts {}
        }
    }

    func rows(_ store: any PersistentStore) throws -> [Row] {
        let plan = FetchPlan(entity: try #require(model.entity(named: "Counter")))
        let cursor = try store.snapshot().cursor(plan)
        var rows: [Row] = []
        while let batch = try cursor.next(atMost: 100) { rows += batch.rows }
        return rows
    }

    func value(of row: Row) throws -> Int64 {
        let layout = RowLayouts(model).layout(of: try #require(model.entity(named: "Counter")))
        return row.int64(try #require(layout.slot(named: "value")))
    }

    /// Names of the files in the store's folder, sorted.
    func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    }

    func mode() throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        return try #require(attributes[.posixPermissions] as? Int)
    }
}
