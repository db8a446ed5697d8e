import CairnModel
import CairnStore

/// Reads the members of a to-many for many owners at once.
struct MembersByOwner {
    private struct Member {
        let id: ObjectID
        /// `nil` if the member was given no place.
        let order: Int64?

        /// By order, then by key; members without a place come last.
        static func precedes(_ left: Member, _ right: Member) -> Bool {
            switch (left.order, right.order) {
            case (let a?, let b?) where a != b: a < b
            case (_?, nil): true
            case (nil, _?): false
            default: left.id.key < right.id.key
            }
        }
    }

    private let relationship: Relationship
    private let schema: FetchSchema

    init(_ relationship: Relationship, schema: FetchSchema) {
        self.relationship = relationship
        self.schema = schema
    }

    /// Returns the members by owner, in the order of `ids`.
    ///
    /// - Throws: `.corrupt`, `.busy`, `.engineFailure`.
    func relatedIDs(
        of ids: [ObjectID], _ connection: SQLiteConnection
    ) throws(StoreError) -> RelatedIDs {
        let root = relationship.entity.rootEntity.number
        let own = ids.filter { $0.store == schema.store && $0.rootEntity == root }
        var members: [Int64: [Member]] = [:]
        if let query, !own.isEmpty {
            let statement = try connection.statement(query.text)
            try KeysTable.withKeys(Set(own.map(\.key)).sorted()) { (keys) throws(StoreError) in
                try KeysTable.bind(keys, to: statement, at: 1, on: connection)
                try read(statement, into: &members)
            }
        }
        var result = RelatedIDs()
        for id in ids {
            let isOwn = id.store == schema.store && id.rootEntity == root
            append(isOwn ? members[id.key] ?? [] : [], to: &result)
        }
        return result
    }

    private func append(_ members: [Member], to result: inout RelatedIDs) {
        defer { result.endOwner() }
        guard relationship.isOrdered else {
            for id in members.map(\.id).sorted(by: { $0.key < $1.key }) { result.append(id) }
            return
        }
        var last: Int64?
        for member in members.sorted(by: Member.precedes) {
            // A member without a place has the one after the member before it.
            let order = member.order ?? last.map { $0 < .max ? $0 + 1 : $0 } ?? 0
            last = order
            result.append(member.id, orderKey: order)
        }
    }

    private func read(
        _ statement: SQLiteStatement, into members: inout [Int64: [Member]]
    ) throws(StoreError) {
        defer { statement.reset() }
        let table = schema.map.schema(of: relationship.destination)?.table ?? SQLName("")
        while try statement.step() {
            // Keys that were joined with: integers, by which owners were asked for.
            let owner = statement.int64(at: 0)
            let key = statement.int64(at: 1)
            guard key > 0 else {
                throw .corruptRow(
                    at: schema.location, table: table, column: SQLName("Z_PK"), key: key,
                    "a key is at least 1")
            }
            let number = try statement.integer(at: 2, "table \(table), column Z_ENT") ?? 0
            let order = try statement.integer(at: 3, "the order of \(relationship.name)")
            guard let entity = schema.map.entityNumber(forStoreNumber: number) else {
                throw .corruptRow(
                    at: schema.location, table: table,
                    column: SQLName("Z_ENT"), key: key, "no entity has the number \(number)")
            }
            let id = ObjectID(
                store: schema.store, rootEntity: relationship.destination.rootEntity.number,
                entity: entity, key: key)
            members[owner, default: []].append(Member(id: id, order: order))
        }
    }

    /// Yields owner, member, the member's entity and its place. Returns `nil` if the store does not
    /// keep the relationship.
    ///
    /// Begins at the owners: one without a row has no members.
    private var query: SQLText? {
        guard let owners = schema.map.schema(of: relationship.entity)?.table,
            let members = schema.map.schema(of: relationship.destination)?.table
        else { return nil }
        if let pairs = schema.map.joinTable(of: relationship) {
            let order: SQLText = pairs.memberOrderColumn.map { "p.\($0)" } ?? "0"
            return """
                SELECT o.Z_PK, m.Z_PK, m.Z_ENT, \(order) FROM cairn_keys(?) AS k \
                CROSS JOIN \(owners) AS o ON o.Z_PK = k.key \
                JOIN \(pairs.pairs(of: relationship)) AS p ON p.\(pairs.ownerColumn) = o.Z_PK \
                JOIN \(members) AS m ON m.Z_PK = p.\(pairs.memberColumn)
                """
        }
        guard let inverse = relationship.inverse,
            case .toOne(let key, _, let orderColumn)? = schema.map.column(of: inverse)?.form
        else { return nil }
        let order: SQLText = orderColumn.map { "m.\($0)" } ?? "0"
        return """
            SELECT o.Z_PK, m.Z_PK, m.Z_ENT, \(order) FROM cairn_keys(?) AS k \
            CROSS JOIN \(owners) AS o ON o.Z_PK = k.key JOIN \(members) AS m ON m.\(key) = o.Z_PK
            """
    }
}

extension JoinTable {
    /// What a `FROM` reads the relationship's pairs from.
    ///
    /// Of a relationship that is its own inverse a pair stands once, in either direction, or
    /// twice: all are the same.
    func pairs(of relationship: Relationship) -> SQLText {
        guard relationship.inverse == relationship else { return "\(table)" }
        let order: SQLText = memberOrderColumn.map { ", \($0)" } ?? ""
        return """
            (SELECT \(ownerColumn), \(memberColumn)\(order) FROM \(table) \
            UNION SELECT \(memberColumn), \(ownerColumn)\(order) FROM \(table))
            """
    }
}
