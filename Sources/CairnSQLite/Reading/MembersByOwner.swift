import CairnModel
import CairnSQL
import CairnStore

/// Reads the members of a to-many relationship for many owners at once.
struct MembersByOwner {
    private struct Member {
        let key: Int64
        let entity: EntityNumber
        /// The order key, or `nil` if the member has none.
        let order: Int64?

        /// Sorts by order key, then by primary key. Members without an order key come last.
        static func precedes(_ left: Member, _ right: Member) -> Bool {
            switch (left.order, right.order) {
            case (let a?, let b?) where a != b: a < b
            case (_?, nil): true
            case (nil, _?): false
            default: left.key < right.key
            }
        }
    }

    private let relationship: Relationship
    private let isOrdered: Bool
    private let destination: EntityNumber
    /// Whether the members' table contains several entities. If it does not, an index can contain
    /// everything needed about a member, so that no row is read.
    private let readsEntity: Bool
    private let schema: FetchSchema
    /// Whether the owners have no rows. Members may still refer to them.
    private let ownersAreDeleted: Bool

    init(_ relationship: Relationship, schema: FetchSchema, ownersAreDeleted: Bool = false) {
        self.ownersAreDeleted = ownersAreDeleted
        self.relationship = relationship
        isOrdered = relationship.isOrdered
        destination = relationship.destination.number
        readsEntity = relationship.destination.rootEntity.hierarchy.count > 1
        self.schema = schema
    }

    /// Returns the members of each owner, in the order of `ids`.
    ///
    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    func relatedIDs(
        of ids: [ObjectID], _ connection: SQLiteConnection
    ) throws(StoreError) -> RelatedIDs {
        let root = relationship.entity.rootEntity.number
        let isOwn = { (id: ObjectID) in id.store == schema.store && id.rootEntity == root }
        let keys = Set(ids.lazy.filter(isOwn).map(\.key)).sorted()
        let found = try members(ofOwners: keys, connection)
        // If there is one owner, or the owners are in key order, the result is already in order.
        if keys.count == ids.count, zip(keys, ids).allSatisfy({ $0 == $1.key }) { return found }
        let indices = Dictionary(uniqueKeysWithValues: zip(keys, keys.indices))
        var result = RelatedIDs()
        for id in ids {
            if isOwn(id), let index = indices[id.key] {
                result.appendOwner(at: index, of: found)
            } else {
                result.endOwner()
            }
        }
        return result
    }

    /// Returns the members of the owners with the given keys, which must be sorted.
    private func members(
        ofOwners keys: [Int64], _ connection: SQLiteConnection
    ) throws(StoreError) -> RelatedIDs {
        var result = RelatedIDs()
        var ended = 0
        if let query, !keys.isEmpty {
            let statement = try connection.statement(query.text)
            try KeysTable.withKeys(keys) { (list) throws(StoreError) in
                try KeysTable.bind(list, to: statement, at: 1, on: connection)
                defer { statement.reset() }
                // The members of the current owner.
                var members: [Member] = []
                while try statement.step() {
                    let owner = statement.int64(at: 0)
                    while ended < keys.count, keys[ended] < owner {
                        end(&members, in: &result)
                        ended += 1
                    }
                    guard ended < keys.count, keys[ended] == owner else {
                        throw .corruptRow(
                            at: schema.location, table: table, column: SQLName("Z_PK"), key: owner,
                            "the rows are not in the requested order")
                    }
                    members.append(try member(statement))
                }
                end(&members, in: &result)
                ended += 1
            }
        }
        for _ in ended..<max(ended, keys.count) { result.endOwner() }
        return result
    }

    /// Adds the members of one owner to the result, and empties the list.
    private func end(_ members: inout [Member], in result: inout RelatedIDs) {
        defer {
            result.endOwner()
            members.removeAll(keepingCapacity: true)
        }
        let root = relationship.destination.rootEntity.number
        let id = { (member: Member) in
            ObjectID(store: schema.store, rootEntity: root, entity: member.entity, key: member.key)
        }
        guard isOrdered else {
            // An index on the owner's column already returns the members in key order.
            let isSorted = zip(members, members.dropFirst()).allSatisfy { $0.key <= $1.key }
            if !isSorted { members.sort { $0.key < $1.key } }
            return result.append(contentsOf: members.map(id))
        }
        var last: Int64?
        for member in members.sorted(by: Member.precedes) {
            // A member without an order key gets the key that follows the previous member's.
            let order = member.order ?? last.map { $0 < .max ? $0 + 1 : $0 } ?? 0
            last = order
            result.append(id(member), orderKey: order)
        }
    }

    private var table: SQLName {
        schema.map.schema(of: relationship.destination)?.table ?? SQLName("")
    }

    private func member(_ statement: SQLiteStatement) throws(StoreError) -> Member {
        // The statement joined with this key, so it is an integer.
        let key = statement.int64(at: 1)
        guard key > 0 else {
            throw .corruptRow(
                at: schema.location, table: table, column: SQLName("Z_PK"), key: key,
                "the key is less than 1")
        }
        let order =
            isOrdered
            ? try statement.integer(at: 2, "the order of \(relationship.name)") : nil
        guard readsEntity else {
            return Member(key: key, entity: destination, order: order)
        }
        let number = try statement.integer(at: 3, "table \(table), column Z_ENT") ?? 0
        guard let entity = schema.map.entityNumber(forStoreNumber: number) else {
            throw .corruptRow(
                at: schema.location, table: table, column: SQLName("Z_ENT"), key: key,
                "no entity has the number \(number)")
        }
        return Member(key: key, entity: entity, order: order)
    }

    /// A query for owner, member, the member's order key and its entity, with the owners in key
    /// order. `nil` if the store does not hold the relationship.
    ///
    /// The query starts at the owners' rows, so that an owner without a row has no members. `CROSS
    /// JOIN` prevents SQLite from changing the order of the tables (sqlite.org/optoverview.html).
    private var query: SQLText? {
        guard let owners = schema.map.schema(of: relationship.entity)?.table,
            let members = schema.map.schema(of: relationship.destination)?.table
        else { return nil }
        let entity: SQLText = readsEntity ? "m.Z_ENT" : "0"
        if let pairs = schema.map.joinTable(of: relationship) {
            let order: SQLText = pairs.memberOrderColumn.map { "p.\($0)" } ?? "0"
            return """
                SELECT o.Z_PK, m.Z_PK, \(order), \(entity) FROM cairn_keys(?) AS k \
                CROSS JOIN \(owners) AS o ON o.Z_PK = k.key \
                CROSS JOIN \(pairs.pairs(of: relationship)) AS p ON p.\(pairs.ownerColumn) = o.Z_PK \
                CROSS JOIN \(members) AS m ON m.Z_PK = p.\(pairs.memberColumn)
                """
        }
        guard let inverse = relationship.inverse,
            case .toOne(let key, _, let orderColumn)? = schema.map.column(of: inverse)?.form
        else { return nil }
        let order: SQLText = orderColumn.map { "m.\($0)" } ?? "0"
        if ownersAreDeleted {
            return """
                SELECT k.key, m.Z_PK, \(order), \(entity) FROM cairn_keys(?) AS k \
                CROSS JOIN \(members) AS m ON m.\(key) = k.key
                """
        }
        return """
            SELECT o.Z_PK, m.Z_PK, \(order), \(entity) FROM cairn_keys(?) AS k \
            CROSS JOIN \(owners) AS o ON o.Z_PK = k.key \
            CROSS JOIN \(members) AS m ON m.\(key) = o.Z_PK
            """
    }
}

extension JoinTable {
    /// Returns the `FROM` source of the relationship's pairs.
    ///
    /// If the relationship is its own inverse, a pair may be stored once, in either direction, or
    /// in both directions. All three mean the same.
    func pairs(of relationship: Relationship) -> SQLText {
        guard relationship.inverse == relationship else { return "\(table)" }
        let order: SQLText = memberOrderColumn.map { ", \($0)" } ?? ""
        return """
            (SELECT \(ownerColumn), \(memberColumn)\(order) FROM \(table) \
            UNION SELECT \(memberColumn), \(ownerColumn)\(order) FROM \(table))
            """
    }
}
