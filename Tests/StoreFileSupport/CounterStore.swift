import CairnBinary
import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import CairnXML
import Foundation

/// A file of counters of a whole-file engine, with shortcuts for tests.
package struct CounterStore {
    /// The engines that write whole files.
    package static let engines: [any FileStore.Type] = [BinaryStore.self, XMLStore.self]
    package static let typeNames = engines.map { $0.type.rawValue }

    package let engine: any FileStore.Type
    package let model: ManagedObjectModel
    package let file: URL
    /// Keeps the temporary folder of the file, or `nil` if the caller chose the file.
    private let ownFolder: TemporaryFolder?

    package struct Failure: Error {}

    /// Creates a fixture.
    ///
    /// - Parameters:
    ///   - type: One of ``typeNames``.
    ///   - file: The file of an existing or future store. If `nil`, a file in a new temporary folder is used.
    package init(_ type: String, at file: URL? = nil) throws {
        engine = try Self.needed(Self.engines.first { $0.type.rawValue == type })
        model = try ManagedObjectModel([
            EntityDescription(
                "Counter", [.attribute("value", .integer64), .attribute("note", .string)])
        ])
        let folder = file == nil ? try TemporaryFolder() : nil
        self.file = try Self.needed(file ?? folder?.file("counters"))
        ownFolder = folder
    }

    private static func needed<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw Failure() }
        return value
    }

    package var folder: URL { file.deletingLastPathComponent() }

    /// Returns the path of another file in the store's folder.
    package func beside(_ name: String) -> URL { folder.appending(path: name) }

    package func open(
        isReadOnly: Bool = false, createsMissing: Bool = true, options: StoreOptions = [:]
    ) throws -> any PersistentStore {
        try engine.open(
            OpenRequest(
                location: .file(file), model: model, isReadOnly: isReadOnly,
                createsMissing: createsMissing, options: options))
    }

    /// Runs a counter command of the worker on this store in another process.
    package func worker(_ verb: String, _ numbers: Int...) throws -> WorkerProcess {
        try WorkerProcess(
            ["counters", verb, engine.type.rawValue, file.path] + numbers.map(String.init))
    }

    // MARK: Rows

    private var entity: Entity {
        get throws { try Self.needed(model.entity(named: "Counter")) }
    }

    package func row(
        _ store: any PersistentStore, _ key: Int64, version: Int64 = 1, value: Int64,
        note: String? = nil
    ) throws -> Row {
        let layout = store.request.layouts.layout(of: try entity)
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

    package func insert(_ store: any PersistentStore, _ rows: Row...) throws {
        try save(store, SaveRequest(inserted: RowBatch(rows)))
    }

    package func save(_ store: any PersistentStore, _ request: SaveRequest) throws {
        let transaction = try store.beginSave()
        try transaction.prepare(request)
        _ = try transaction.commit()
    }

    /// Adds 1 to a counter, and retries after conflicts.
    ///
    /// - Returns: The number of attempts that conflicted with a change made elsewhere.
    @discardableResult
    package func increment(_ store: any PersistentStore, _ key: Int64) throws -> Int {
        var conflictCount = 0
        while true {
            let old = try Self.needed(try rows(store).first { $0.key == key })
            let update = RowUpdate(
                row: try row(
                    store, key, version: old.version + 1, value: try value(of: old) + 1),
                previousVersion: old.version, changedSlots: [0, 1])
            do {
                try save(store, SaveRequest(updated: [update]))
                return conflictCount
            } catch StoreError.rowConflicts {
                conflictCount += 1
            }
        }
    }

    package func rows(_ store: any PersistentStore) throws -> [Row] {
        let cursor = try store.snapshot().cursor(FetchPlan(entity: try entity))
        var rows: [Row] = []
        while let batch = try cursor.next(atMost: 100) { rows += batch.rows }
        return rows
    }

    package func value(of row: Row) throws -> Int64 {
        let layout = RowLayouts(model).layout(of: try entity)
        return row.int64(try Self.needed(layout.slot(named: "value")))
    }

    // MARK: Files

    /// Returns the names of the files in the store's folder, sorted.
    package func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    package func mode() throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        return try Self.needed(attributes[.posixPermissions] as? Int)
    }
}
