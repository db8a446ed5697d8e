import CairnModel
import CairnRows
import CairnStore
import Foundation

/// Follows relationships in one state of a table, for predicates, sorts and derived attributes.
struct TableResolver: DerivationState {
    let table: StoreTable
    let store: StoreNumber

    func rows(for ids: [ObjectID]) -> [Row?] {
        ids.map { $0.store == store ? table.row(root: $0.rootEntity, key: $0.key) : nil }
    }

    func members(of relationship: Relationship, in row: Row) -> [ObjectID] {
        var ids: [ObjectID] = []
        table.forEachMember(of: relationship, owner: row.key) { member, _ in ids.append(member.id) }
        return ids
    }

    func objects(of entity: Entity) -> Set<ObjectID> {
        let rows = table.rows(root: entity.rootEntity.number)
        var position = rows.start
        var ids: Set<ObjectID> = []
        while let (_, row) = rows.next(&position) { ids.insert(row.id) }
        return ids
    }

    /// - Throws: `.externalDataMissing`, because rows in memory contain all of their values.
    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        throw .externalDataMissing(reference, path: table.schema.request.location.description)
    }
}
