import CairnModel
import CairnStore

/// Writes pairs of many-to-manys, and the order of ordered one-to-manys.
struct PairWriter {
    let save: SaveContext

    /// Writes the changes; removals first, so that a member can move from one owner to another.
    ///
    /// - Throws: `.unsupported`, `.engineFailure`.
    func write(_ changes: [PairChange]) throws(StoreError) {
        for change in changes where change.kind == .delete { try remove(change) }
        for change in changes where change.kind != .delete { try put(change) }
    }

    private func remove(_ change: PairChange) throws(StoreError) {
        if let join = save.schema.map.joinTable(of: change.relationship) {
            let statement = try save.connection.statement(
                "DELETE FROM \(join.table) WHERE \(join.ownerColumn) = ? AND \(join.memberColumn) = ?"
            )
            try statement.bind(change.owner.key, at: 1)
            try statement.bind(change.member.key, at: 2)
            try statement.run()
        } else {
            try setOrder(of: change, to: nil)
        }
    }

    private func put(_ change: PairChange) throws(StoreError) {
        guard let join = save.schema.map.joinTable(of: change.relationship) else {
            return try setOrder(of: change, to: change.orderKey)
        }
        let orders = [
            join.memberOrderColumn.map { ($0, change.orderKey) },
            join.ownerOrderColumn.map { ($0, change.inverseOrderKey) },
        ].compactMap(\.self)
        let statement = try save.connection.statement(
            change.kind == .insert
                ? insertion(into: join, orders.map(\.0)) : reordering(of: join, orders.map(\.0)))
        try statement.bind(change.owner.key, at: 1)
        try statement.bind(change.member.key, at: 2)
        for (index, order) in orders.enumerated() { try statement.bind(order.1, at: index + 3) }
        if change.kind == .insert || !orders.isEmpty { try statement.run() }
    }

    /// A pair that is there already keeps an order key for which none is given.
    private func insertion(into join: JoinTable, _ orders: [SQLName]) -> String {
        let columns = ([join.ownerColumn, join.memberColumn] + orders).map(\.description)
        let marks = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        let updates = orders.enumerated().map { "\($1) = ifnull(?\($0 + 3), \($1))" }
        return "INSERT INTO \(join.table) (\(columns.joined(separator: ", "))) VALUES (\(marks))"
            + " ON CONFLICT DO "
            + (updates.isEmpty ? "NOTHING" : "UPDATE SET " + updates.joined(separator: ", "))
    }

    private func reordering(of join: JoinTable, _ orders: [SQLName]) -> String {
        let updates = orders.enumerated().map { "\($1) = ifnull(?\($0 + 3), \($1))" }
        let values =
            updates.isEmpty
            ? "\(join.ownerColumn) = \(join.ownerColumn)" : updates.joined(separator: ", ")
        return "UPDATE \(join.table) SET \(values)"
            + " WHERE \(join.ownerColumn) = ?1 AND \(join.memberColumn) = ?2"
    }

    /// The order of a one-to-many stands in the member's row, beside the key of its owner.
    private func setOrder(of change: PairChange, to key: Int64?) throws(StoreError) {
        guard let inverse = change.relationship.inverse,
            case .toOne(_, _, let order?)? = save.schema.map.column(of: inverse)?.form,
            let table = save.schema.map.schema(of: inverse.entity)?.table
        else {
            let name = "\(change.relationship.entity.name).\(change.relationship.name)"
            throw .unsupported(
                save.schema.location, feature: "no place for the order of \(name)",
                advice: "Copy it to a new store.")
        }
        let statement = try save.connection.statement(
            "UPDATE \(table) SET \(order) = ? WHERE Z_PK = ?")
        try statement.bind(key, at: 1)
        try statement.bind(change.member.key, at: 2)
        try statement.run()
    }
}
