import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore
import Foundation

/// The state of the store during a save, including the changes that are already written.
struct LMDBDerivationState: DerivationState {
    let tables: StoreTables
    let transaction: LMDBTransaction
    let store: StoreNumber

    func rows(for ids: [ObjectID]) throws(StoreError) -> [Row?] {
        var writer = RowWriter(store: store)
        try RowReader(tables: tables, transaction: transaction)
            .append(rowsFor: ids.filter { $0.store == store }, to: &writer)
        let rows = Dictionary(
            writer.takeBatch().rows.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return ids.map { rows[$0] }
    }

    func members(
        of relationship: Relationship, in row: Row
    ) throws(StoreError) -> [ObjectID] {
        try members.relatedIDs(relationship, of: [row.id]).members
    }

    func members(
        of relationship: Relationship, ofOwners owners: Set<ObjectID>
    ) throws(StoreError) -> Set<ObjectID> {
        Set(try members.relatedIDs(relationship, of: Array(owners)).members)
    }

    private var members: MemberReader {
        MemberReader(tables: tables, transaction: transaction, store: store)
    }

    func objects(of entity: Entity) throws(StoreError) -> Set<ObjectID> {
        let root = entity.rootEntity.number
        guard let rows = tables.tables(of: root)?.rows else { return [] }
        var cursor = try transaction.cursor(on: rows)
        var ids: Set<ObjectID> = []
        var entry = try cursor.go(.first)
        while let current = entry {
            guard current.key.count == 8 else {
                throw RowReader(tables: tables, transaction: transaction)
                    .corrupt(0, root, "a key has the wrong length")
            }
            let key = current.key.loadUnaligned(as: Int64.self)
            guard key > 0 else {
                throw transaction.corrupt(rows, "it contains a key that no row can have")
            }
            ids.insert(ObjectID(store: store, rootEntity: root, entity: root, key: key))
            entry = try cursor.go(.next)
        }
        return ids
    }

    /// - Throws: `.externalDataMissing`, always, because rows of this engine contain all their
    ///   values.
    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        throw .externalDataMissing(reference, path: transaction.location.description)
    }
}
