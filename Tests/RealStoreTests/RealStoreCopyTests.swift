import CairnLMDB
import CairnModel
import CairnRows
import CairnSQLite
import CairnStore
import CairnTestSupport
import Foundation
import Testing

/// Every real store that contains its model is copied with its keys. Rows with values in external files are
/// left out.
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
        let layouts = source.request.layouts
        let rows = RowBatch(
            try rows(of: old, model).rows.filter { !Self.hasFiles($0, layouts) })

        let transaction = try copy.beginSave()
        try transaction.prepare(
            SaveRequest(
                inserted: moved(rows, to: copy.number),
                pairs: try pairs(of: rows, old, model, copy.number)))
        _ = try transaction.commit()

        let new = try copy.snapshot()
        let copied = try self.rows(of: new, model)
        #expect(copied.count == rows.count)
        let wanted = moved(rows, to: copy.number)
        #expect(zip(copied.rows, wanted.rows).allSatisfy(Row.hasSameBytes))
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

    private struct Pair: Hashable {
        let owner: ObjectID
        let member: ObjectID
    }

    /// Returns the pairs of a to-many relationship with the members' order keys. The order keys are `nil` if
    /// the relationship is unordered.
    private func orderKeys(
        _ relationship: Relationship, _ rows: RowBatch, _ snapshot: any StoreSnapshot
    ) throws -> [Pair: Int64?] {
        let owners = rows.rows.filter {
            relationship.entity.hierarchyNumbers.contains($0.entity)
        }.map(\.id)
        let related = try snapshot.relatedIDs(relationship, of: owners)
        var orderKeys: [Pair: Int64?] = [:]
        for (index, owner) in owners.enumerated() {
            for memberIndex in related.range(ofOwnerAt: index) {
                let pair = Pair(owner: owner, member: related.members[memberIndex])
                orderKeys[pair] = .some(
                    relationship.isOrdered ? related.orderKeys[memberIndex] : nil)
            }
        }
        return orderKeys
    }

    private func pairs(
        of rows: RowBatch, _ snapshot: any StoreSnapshot, _ model: ManagedObjectModel,
        _ store: StoreNumber
    ) throws -> [PairChange] {
        var changes: [PairChange] = []
        for case .relationship(let relationship) in model.entities.flatMap(\.ownProperties)
        where relationship.isToMany && !relationship.isTransient {
            let isTold =
                relationship.isManyToMany ? relationship.ownsPairs : relationship.isOrdered
            guard isTold else { continue }
            let inverse = relationship.isManyToMany ? relationship.inverse : nil
            let backward = try inverse.map { try orderKeys($0, rows, snapshot) } ?? [:]
            for (pair, orderKey) in try orderKeys(relationship, rows, snapshot) {
                let inverseOrderKey = backward[Pair(owner: pair.member, member: pair.owner)] ?? nil
                changes.append(
                    PairChange(
                        .insert, relationship, owner: Self.id(pair.owner, store),
                        member: Self.id(pair.member, store), orderKey: orderKey,
                        inverseOrderKey: inverseOrderKey))
            }
        }
        return changes
    }
}
