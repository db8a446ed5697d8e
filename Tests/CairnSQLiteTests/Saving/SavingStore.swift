import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

/// A SQLite store, with shortcuts for saving into it and inspecting it with plain SQL.
struct SavingStore {
    let store: SQLiteStore
    let url: URL

    var model: ManagedObjectModel { store.request.model }

    init(_ request: OpenRequest) throws {
        store = try SQLiteStore.open(request)
        url = try #require(request.location.fileURL)
    }

    init(_ entities: [EntityDescription], in folder: TemporaryFolder) throws {
        try self.init(
            OpenRequest(
                location: .file(folder.file("store.sqlite")),
                model: try ManagedObjectModel(entities)))
    }

    func entity(_ name: String) throws -> Entity { try #require(model.entity(named: name)) }

    func id(_ entity: String, _ key: Int64) throws -> ObjectID {
        let entity = try self.entity(entity)
        return ObjectID(
            store: store.number, rootEntity: entity.rootEntity.number, entity: entity.number,
            key: key)
    }

    /// Packs a row. Properties missing from `values` are `nil`.
    func row(
        _ entity: String, _ key: Int64, version: Int64 = 1, _ values: [String: Value] = [:]
    ) throws -> Row {
        let layout = store.request.layouts.layout(of: try self.entity(entity))
        var writer = RowWriter(store: store.number)
        writer.begin(layout, key: key, version: version)
        for (property, slot) in zip(layout.properties, layout.slots) {
            try writer.set(values[property.name] ?? .null, at: slot, of: layout)
        }
        writer.endRow()
        return try #require(writer.takeBatch().rows.first { _ in true })
    }

    /// Returns an update of only the named values.
    func update(
        _ entity: String, _ key: Int64, from previous: Int64, _ values: [String: Value] = [:]
    ) throws -> RowUpdate {
        var slots = SlotSet()
        for name in values.keys {
            slots.insert(
                try #require(try self.entity(entity).property(named: name)?.storage.rowSlot))
        }
        return RowUpdate(
            row: try row(entity, key, version: previous + 1, values), previousVersion: previous,
            changedSlots: slots)
    }

    @discardableResult
    func save(_ request: SaveRequest) throws -> SaveOutcome {
        let save = try store.beginSave()
        try save.prepare(request)
        return try save.commit()
    }

    @discardableResult
    func insert(_ rows: Row..., pairs: [PairChange] = []) throws -> SaveOutcome {
        try save(SaveRequest(inserted: RowBatch(rows), pairs: pairs))
    }

    /// Reserves keys for new objects of one entity in a save that is rolled back.
    func reserve(_ count: Int, _ entity: String) throws -> Range<Int64> {
        let root = try self.entity(entity).rootEntity.number
        let save = try store.beginSave()
        let keys = try save.reserveKeys([root: count])
        save.rollback()
        return try #require(keys[root])
    }

    /// Returns the error that preparing the request throws, or `nil` if it succeeds.
    func refusal(of request: SaveRequest) throws -> StoreError? {
        let save = try store.beginSave()
        do {
            try save.prepare(request)
            return nil
        } catch {
            return error
        }
    }

    /// Returns the first column of each row as text, through a connection independent of the store.
    func sql(_ text: String) throws -> [String?] {
        let connection = try SQLiteConnection(
            path: url.path, mode: .readOnly, location: .file(url))
        let statement = try connection.statement(text)
        var result: [String?] = []
        while try statement.step() { result.append(statement.text(at: 0)) }
        return result
    }
}
