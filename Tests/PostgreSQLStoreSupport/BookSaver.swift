import CairnModel
import CairnPostgreSQL
import CairnRows
import CairnStore

/// Saves books without authors, on any thread.
package struct BookSaver: Sendable {
    let book: Entity

    package init(book: Entity) { self.book = book }

    /// Saves new books, and returns their IDs.
    @discardableResult
    package func save(
        _ count: Int, to store: PostgreSQLStore, name: SaveID = SaveID(), title: String? = nil
    ) throws -> [ObjectID] {
        let begun = try store.beginSave(reserving: [book.number: count])
        defer { begun.transaction.rollback() }
        var request = SaveRequest(
            inserted: try rows((begun.keys[book.number] ?? 0..<0).map { ($0, 1) }, title, store))
        request.id = name
        try begun.transaction.prepare(request)
        _ = try begun.transaction.commit()
        return request.inserted.ids
    }

    /// Gives books a new version, on top of the ones that a snapshot shows.
    package func touch(_ ids: some Collection<ObjectID>, in store: PostgreSQLStore) throws {
        let snapshot = try store.snapshot()
        let stored = try snapshot.rows(for: Array(ids)).rows
        snapshot.end()
        let versions = Dictionary(stored.map { ($0.key, $0.version) }) { first, _ in first }
        let new = try rows(ids.map { ($0.key, (versions[$0.key] ?? 0) + 1) }, nil, store)
        let title = store.request.layouts.layout(of: book).slot(named: "title")
        let changed: SlotSet = title.map { [Int($0.index)] } ?? []
        var request = SaveRequest(
            updated: new.rows.map {
                RowUpdate(
                    row: $0, previousVersion: $0.version - 1,
                    changedSlots: changed)
            })
        request.id = SaveID()
        let save = try store.beginSave()
        defer { save.rollback() }
        try save.prepare(request)
        _ = try save.commit()
    }

    private func rows(
        _ all: [(key: Int64, version: Int64)], _ title: String?, _ store: PostgreSQLStore
    ) throws -> RowBatch {
        let layout = store.request.layouts.layout(of: book)
        var writer = RowWriter(store: store.number)
        for (key, version) in all {
            writer.begin(layout, key: key, version: version)
            if let slot = layout.slot(named: "title") {
                try writer.set(title ?? "book \(key), version \(version)", at: slot)
            }
            writer.endRow()
        }
        return writer.takeBatch()
    }
}
