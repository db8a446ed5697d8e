import CairnModel
import CairnStore

/// The columns with the place of an object among an owner's members, by concrete entity.
struct OrderColumns: Sendable {
    private var columns: [EntityNumber: [SlotColumn]] = [:]

    init(_ map: SchemaMap) {
        for (entity, _) in map.entities.entities {
            let ordered = (map.schema(of: entity)?.slots ?? []).filter {
                if case .toOne(_, _, _?) = $0.form { true } else { false }
            }
            if !ordered.isEmpty { columns[entity.number] = ordered }
        }
    }

    var isEmpty: Bool { columns.isEmpty }

    subscript(entity: EntityNumber) -> [SlotColumn] { columns[entity] ?? [] }
}

/// Gives members of ordered one-to-manys a place where the request gives them none: the last.
struct OrderFiller {
    let save: SaveContext
    let columns: OrderColumns

    /// - Throws: `.engineFailure`.
    func fill(_ request: SaveRequest) throws(StoreError) {
        guard !columns.isEmpty else { return }
        let given = Set(
            request.pairs.compactMap { pair in
                pair.relationship.inverse.map { Place(relationship: $0, member: pair.member) }
            })
        for row in request.rows {
            for column in columns[row.entity] where !row.isNull(column.slot) {
                guard case .relationship(let relationship) = column.property else { continue }
                let place = Place(relationship: relationship, member: row.id)
                if !given.contains(place) { try append(row, column) }
            }
        }
    }

    private struct Place: Hashable {
        var relationship: Relationship
        var member: ObjectID
    }

    /// Core Data's keys are 2048 for the first member, then 1024 more for each.
    private func append(_ row: Row, _ column: SlotColumn) throws(StoreError) {
        guard case .toOne(let key, _, let order?) = column.form else { return }
        let table = try save.entitySchema(row.entity).table
        let statement = try save.connection.statement(
            """
            UPDATE \(table) SET \(order) = (SELECT ifnull(max(o.\(order)), 1024) + 1024 \
            FROM \(table) AS o WHERE o.\(key) = \(table).\(key)) \
            WHERE Z_PK = ? AND \(order) IS NULL
            """)
        try statement.bind(row.key, at: 1)
        try statement.run()
    }
}
