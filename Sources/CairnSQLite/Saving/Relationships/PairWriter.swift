import CairnModel
import CairnSQL
import CairnStore

/// Writes pairs of many-to-many relationships, and the order of ordered one-to-many relationships.
struct PairWriter {
    let save: SaveContext

    /// Writes the changes in the given order.
    ///
    /// - Throws: `.unsupported` or `.engineFailure`.
    func write(_ changes: [PairChange]) throws(StoreError) {
        for change in changes {
            if change.kind == .delete { try remove(change) } else { try put(change) }
        }
    }

    private func remove(_ change: PairChange) throws(StoreError) {
        if let join = save.schema.map.joinTable(of: change.relationship) {
            if change.isSelfInverse { try remove(change.owner, of: change.member, in: join) }
            try remove(change.member, of: change.owner, in: join)
        } else {
            try setOrder(of: change, to: nil)
        }
    }

    private func remove(
        _ member: ObjectID, of owner: ObjectID, in join: JoinTable
    ) throws(StoreError) {
        let removal =
            join.isMembersTable
            ? "UPDATE \(join.table) SET \(join.ownerColumn) = NULL" : "DELETE FROM \(join.table)"
        let statement = try save.connection.statement(
            removal
                + " WHERE \(join.ownerColumn) = ? AND \(join.memberColumn) = ?")
        try statement.bind(owner.key, at: 1)
        try statement.bind(member.key, at: 2)
        try statement.run()
    }

    private func put(_ change: PairChange) throws(StoreError) {
        guard let join = save.schema.map.joinTable(of: change.relationship) else {
            guard let key = change.orderKey else { return }
            return try setOrder(of: change, to: key)
        }
        try put(change, into: join)
        // A relationship that is its own inverse stores a pair for each direction.
        if change.isSelfInverse { try put(change.reversed, into: join) }
    }

    private func put(_ change: PairChange, into join: JoinTable) throws(StoreError) {
        let orders = [
            join.memberOrderColumn.map { ($0, change.orderKey) },
            join.ownerOrderColumn.map { ($0, change.inverseOrderKey) },
        ].compactMap(\.self)
        guard change.kind == .insert || !orders.isEmpty else { return }
        let statement = try save.connection.statement(
            change.kind == .insert
                ? try insertion(of: change, into: join, orders.map(\.0))
                : reordering(of: join, orders.map(\.0)))
        try statement.bind(change.owner.key, at: 1)
        try statement.bind(change.member.key, at: 2)
        for (index, order) in orders.enumerated() { try statement.bind(order.1, at: index + 3) }
        try statement.run()
    }

    /// Returns the statement that inserts a pair. A pair that already exists keeps its order key if
    /// the change gives none. No pair is inserted if one of its objects does not exist.
    private func insertion(
        of change: PairChange, into join: JoinTable, _ orders: [SQLName]
    ) throws(StoreError) -> String {
        let owners = try save.entitySchema(change.owner.rootEntity).table
        if join.isMembersTable {
            let assignments = Self.assignments(orders)
            return "UPDATE \(join.table) SET \(join.ownerColumn) = ?1"
                + (assignments.isEmpty ? "" : ", \(assignments)")
                + " WHERE Z_PK = ?2 AND EXISTS (SELECT 1 FROM \(owners) WHERE Z_PK = ?1)"
        }
        let members = try save.entitySchema(change.member.rootEntity).table
        let columns = ([join.ownerColumn, join.memberColumn] + orders).map(\.description)
        let marks = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        return "INSERT INTO \(join.table) (\(columns.joined(separator: ", "))) SELECT \(marks)"
            + " WHERE EXISTS (SELECT 1 FROM \(owners) WHERE Z_PK = ?1)"
            + " AND EXISTS (SELECT 1 FROM \(members) WHERE Z_PK = ?2) ON CONFLICT DO "
            + (orders.isEmpty ? "NOTHING" : "UPDATE SET " + Self.assignments(orders))
    }

    private func reordering(of join: JoinTable, _ orders: [SQLName]) -> String {
        "UPDATE \(join.table) SET \(Self.assignments(orders))"
            + " WHERE \(join.ownerColumn) = ?1 AND \(join.memberColumn) = ?2"
    }

    private static func assignments(_ orders: [SQLName]) -> String {
        orders.enumerated().map { "\($1) = ifnull(?\($0 + 3), \($1))" }.joined(separator: ", ")
    }

    /// Sets the order key of a one-to-many relationship. It is stored in the member's row, next to
    /// the owner's key, and stays unchanged if the row has another owner.
    private func setOrder(of change: PairChange, to key: Int64?) throws(StoreError) {
        guard let inverse = change.relationship.inverse,
            case .toOne(let owner, _, let order?)? = save.schema.map.column(of: inverse)?.form,
            let table = save.schema.map.schema(of: inverse.entity)?.table
        else {
            let name = "\(change.relationship.entity.name).\(change.relationship.name)"
            throw .unsupported(
                save.schema.location, feature: "no column for the order of \(name)",
                advice: "Copy it to a new store.")
        }
        let statement = try save.connection.statement(
            "UPDATE \(table) SET \(order) = ? WHERE Z_PK = ? AND \(owner) = ?")
        try statement.bind(key, at: 1)
        try statement.bind(change.member.key, at: 2)
        try statement.bind(change.owner.key, at: 3)
        try statement.run()
    }
}

extension PairChange {
    /// Whether the relationship is its own inverse.
    fileprivate var isSelfInverse: Bool { relationship.inverse == relationship }

    /// The same pair, seen from the member's side.
    fileprivate var reversed: PairChange {
        PairChange(
            kind, relationship, owner: member, member: owner, orderKey: inverseOrderKey,
            inverseOrderKey: orderKey)
    }
}
