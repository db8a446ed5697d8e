import CairnLMDB
import CairnModel
import CairnRows
import CairnSQLite
import CairnStore
import CairnTestSupport
import Foundation
import Testing

/// Every real store that contains its model is copied with its keys. The bytes of rows with values in external
/// files are not compared.
@Suite(.enabled(if: Corpus.isThere)) struct `LMDB copies of real stores` {
    @Test(arguments: Corpus.wholeStorePaths)
    func `hold the same rows and relationships`(_ path: String) throws {
        let folder = try TemporaryFolder()
        let location = StoreLocation.file(try Corpus.copy(path, into: folder.url))
        guard let description = try SQLiteStore.model(at: location) else { return }
        let model = try ManagedObjectModel(
            description, recordedHashes: try SQLiteStore.metadata(at: location).entityVersionHashes)
        let source = try SQLiteStore.open(
            OpenRequest(location: location, model: model, isReadOnly: true, createsMissing: false))
        let copy = try LMDBStore.open(
            OpenRequest(location: .file(folder.file("copy.lmdb")), model: model))
        let old = try source.snapshot()
        let rows = try rows(of: old, model)

        try StoreCopier(source: source, target: copy).copy()

        let new = try copy.snapshot()
        let copied = try self.rows(of: new, model)
        #expect(copied.count == rows.count)
        let wanted = moved(rows, to: copy.number)
        let layouts = source.request.layouts
        for (copied, wanted) in zip(copied.rows, wanted.rows)
        where !Self.hasFiles(wanted, layouts) {
            #expect(Row.hasSameBytes(copied, wanted), "\(copied.id)")
        }
        for entity in model.entities {
            for relationship in entity.relationships
            where relationship.isToMany && !relationship.isTransient {
                let owners = rows.rows.filter { entity.hierarchyNumbers.contains($0.entity) }.map(
                    \.id)
                let wanted = try old.relatedIDs(relationship, of: owners)
                let found = try new.relatedIDs(
                    relationship, of: owners.map { Self.id($0, copy.number) })
                #expect(found.ends == wanted.ends, "\(entity.name).\(relationship.name)")
                #expect(
                    found.members.map(\.key) == wanted.members.map(\.key),
                    "\(entity.name).\(relationship.name)")
                #expect(found.members.map(\.entity) == wanted.members.map(\.entity))
            }
        }
    }

    private func rows(of snapshot: any StoreSnapshot, _ model: ManagedObjectModel) throws
        -> RowBatch
    {
        var all = RowBatch()
        for entity in model.entities where entity.superentity == nil {
            let cursor = try snapshot.cursor(FetchPlan(entity: entity))
            while let batch = try cursor.next(atMost: 500) { all.append(batch) }
        }
        return RowBatch(
            all.rows.sorted { ($0.rootEntity, $0.key) < ($1.rootEntity, $1.key) })
    }

    private static func id(_ id: ObjectID, _ store: StoreNumber) -> ObjectID {
        ObjectID(store: store, rootEntity: id.rootEntity, entity: id.entity, key: id.key)
    }

    /// Returns the rows as they should be in the other store.
    private func moved(
        _ rows: RowBatch, to store: StoreNumber
    ) -> RowBatch {
        var writer = RowWriter(store: store)
        for row in rows.rows { writer.append(copyOf: row) }
        return writer.takeBatch()
    }

    private static func hasFiles(_ row: Row, _ layouts: RowLayouts) -> Bool {
        layouts.layout(of: row.entity)?.slots.contains { slot in
            guard slot.kind == .externalBinary, !row.isNull(slot) else { return false }
            if case .reference = row.externalBinary(slot) { return true }
            return false
        } ?? false
    }
}
