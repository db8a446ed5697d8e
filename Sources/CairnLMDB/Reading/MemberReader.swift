import CairnModel
import CairnRows
import CairnStore

/// Reads the members of to-many relationships in one state.
struct MemberReader {
    let tables: StoreTables
    let transaction: LMDBTransaction
    /// The store number in the members' IDs.
    let store: StoreNumber

    /// Returns the members of each owner, in the order of `ids`. An owner without a row has no
    /// members.
    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID], ownersAreDeleted: Bool = false
    ) throws(StoreError) -> RelatedIDs {
        var related = RelatedIDs()
        guard let table = tables.memberTables(of: relationship)?.members else {
            for _ in ids { related.endOwner() }
            return related
        }
        let root = relationship.destination.rootEntity.number
        let ownersRoot = relationship.entity.rootEntity.number
        var cursor = try transaction.cursor(on: table)
        let links = LinkReader(transaction: transaction)
        for id in ids {
            defer { related.endOwner() }
            guard id.rootEntity == ownersRoot,
                try ownersAreDeleted ? id.store == store : hasRow(id)
            else { continue }
            if relationship.isOrdered {
                for (member, orderKey) in try links.orderedMembers(
                    of: id.key, in: table, &cursor)
                {
                    related.append(self.id(of: member, root: root), orderKey: orderKey)
                }
            } else {
                // Adjacent members usually have the same entity, so it is only looked up when it
                // changes.
                var (known, entity) = (UInt16(0), root)
                var members: [ObjectID] = []
                try links.forEachLink(of: id.key, in: table, &cursor) { member, value in
                    if value.entity.rawValue != known {
                        known = value.entity.rawValue
                        entity = self.entity(value.entity, below: root)
                    }
                    members.append(
                        ObjectID(store: store, rootEntity: root, entity: entity, key: member))
                }
                related.append(contentsOf: members)
            }
        }
        return related
    }

    private func hasRow(_ id: ObjectID) throws(StoreError) -> Bool {
        guard id.store == store, let rows = tables.tables(of: id.rootEntity)?.rows else {
            return false
        }
        return try transaction.get(id.key, in: rows) != nil
    }

    private func id(of member: LinkReader.Member, root: EntityNumber) -> ObjectID {
        ObjectID(
            store: store, rootEntity: root, entity: entity(member.entity, below: root),
            key: member.key)
    }

    /// Returns the concrete entity of a member. If the stored entity is not below the root, it is
    /// damaged, and the root is returned instead.
    private func entity(_ number: StoreEntityNumber, below root: EntityNumber) -> EntityNumber {
        let entity = tables.modelNumber(of: number)
        return tables.tables(of: entity)?.root == root ? entity : root
    }
}
