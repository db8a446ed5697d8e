import CairnModel
import CairnStore

/// Reads the members of one to-many relationship for many owners.
struct PostgresMemberReader {
    let relationship: Relationship
    let schema: StoreSchema

    /// Returns the statement that reads owner, member, the member's entity and its order key, by owner and in the order
    /// of the members. Returns `nil` if the store has no such relationship.
    func statement(ownedBy keys: [Int64]) -> PostgresStatement? {
        guard let members = schema.table(of: relationship.destination), let from = source(members)
        else {
            return nil
        }
        return PostgresStatement(
            """
            SELECT o.k, m._key, m._entity, \(from.position) FROM \(from.text)
            ORDER BY o.k, 4 NULLS LAST, m._key
            """, [.integers(keys)])
    }

    /// Returns the statement that reads the members' rows, each once.
    func rowStatement(ownedBy keys: [Int64]) -> PostgresStatement? {
        guard let members = schema.table(of: relationship.destination), let from = source(members)
        else {
            return nil
        }
        return PostgresStatement(
            """
            SELECT \(members.wholeRow) FROM \(members.name)
            WHERE _key IN (SELECT m._key FROM \(from.text))
            """, [.integers(keys)])
    }

    /// The tables, with the owners' keys as `o` and the members as `m`, and the order key.
    private func source(_ members: PostgresTable) -> (text: String, position: String)? {
        guard let table = schema.table(of: relationship.entity) else { return nil }
        let entities = schema.list(of: relationship.entity.hierarchyNumbers.map { $0 })
        let owners =
            "(SELECT _key AS k FROM \(table.name) WHERE _key = ANY($1) AND _entity IN (\(entities))) AS o"
        if let (pairs, isForward) = schema.pairs(of: relationship) {
            let (owner, member) = isForward ? ("owner", "member") : ("member", "owner")
            return (
                """
                \(owners) JOIN \(pairs.name) AS p ON p.\(owner) = o.k
                JOIN \(members.name) AS m ON m._key = p.\(member)
                """, relationship.isOrdered ? "p.\(member)_position" : "NULL::int8"
            )
        }
        guard let inverse = relationship.inverse,
            let column = members.column(inverse.rowSlot, of: inverse.entity)
        else { return nil }
        return (
            "\(owners) JOIN \(members.name) AS m ON m.\(column.name) = o.k",
            column.position.map { "m.\($0)" } ?? "NULL::int8"
        )
    }

    /// Returns the keys of owners that can have members, in order and without repetitions.
    func keys(of ids: [ObjectID]) -> [Int64] {
        Set(ids.lazy.filter(isOwn).map(\.key)).sorted()
    }

    private func isOwn(_ id: ObjectID) -> Bool {
        id.store == schema.store && id.rootEntity == relationship.entity.rootEntity.number
    }

    /// Returns the members of each owner, in the order of `ids`.
    ///
    /// - Throws: `.corrupt`.
    func relatedIDs(
        of ids: [ObjectID], _ result: PostgresResult?
    ) throws(StoreError) -> RelatedIDs {
        var rows: [Int64: Range<Int>] = [:]
        if let result {
            for row in 0..<result.rowCount {
                guard let owner = result.integer(row, 0, as: Int64.self) else { continue }
                rows[owner] = (rows[owner]?.lowerBound ?? row)..<(row + 1)
            }
        }
        var related = RelatedIDs()
        for id in ids {
            if let result, isOwn(id), let range = rows[id.key] {
                try append(result, range, to: &related)
            }
            related.endOwner()
        }
        return related
    }

    private func append(
        _ result: PostgresResult, _ rows: Range<Int>, to related: inout RelatedIDs
    ) throws(StoreError) {
        guard let members = schema.table(of: relationship.destination) else { return }
        var last: Int64?
        for row in rows {
            let id = try PostgresRowReader.id(result, row, of: members, schema, at: 1)
            guard relationship.isOrdered else {
                related.append(id)
                continue
            }
            // A member without an order key gets the key that follows the previous member's.
            let order =
                result.integer(row, 3, as: Int64.self)
                ?? last.map { $0 < .max ? $0 + 1 : $0 } ?? 0
            last = order
            related.append(id, orderKey: order)
        }
    }
}
