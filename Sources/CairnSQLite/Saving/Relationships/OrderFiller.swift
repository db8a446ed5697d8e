import CairnModel
import CairnRows
import CairnStore

/// Assigns order keys to members of ordered one-to-many relationships, if the request gives none.
/// These members become the last ones.
struct OrderFiller {
    /// The members of one object in an ordered relationship.
    private struct Owner: Hashable {
        var relationship: Relationship
        var key: Int64
    }

    private let save: SaveContext
    private let columns: OrderColumns
    /// The last order key among each owner's members, for the owners that were looked up. The
    /// members of each owner are read only once.
    private var lastOrderKeys: [Owner: Int64] = [:]

    init(save: SaveContext, columns: OrderColumns) {
        self.save = save
        self.columns = columns
    }

    /// - Throws: `.engineFailure`.
    mutating func fill(_ request: SaveRequest) throws(StoreError) {
        guard !columns.isEmpty else { return }
        let given = Set(
            request.pairs.compactMap { pair in
                pair.relationship.inverse.map { Membership(relationship: $0, member: pair.member) }
            })
        for row in request.rows {
            for column in columns[row.entity] where !row.isNull(column.slot) {
                guard case .relationship(let relationship) = column.property else { continue }
                let membership = Membership(relationship: relationship, member: row.id)
                if !given.contains(membership) { try append(row, relationship, column) }
            }
        }
    }

    private struct Membership: Hashable {
        var relationship: Relationship
        var member: ObjectID
    }

    /// Core Data's keys are 2048 for the first member, and 1024 more for each later member.
    private static let step: Int64 = 1024

    private mutating func append(
        _ row: Row, _ relationship: Relationship, _ column: SlotColumn
    ) throws(StoreError) {
        guard case .toOne(let key, _, let order?) = column.form else { return }
        let table = try save.entitySchema(row.entity).table
        let owner = Owner(relationship: relationship, key: row.objectID(column.slot).key)
        let last: Int64
        if let known = lastOrderKeys[owner] {
            last = known
        } else {
            let select = try save.connection.statement(
                "SELECT ifnull(max(\(order)), \(Self.step)) FROM \(table) WHERE \(key) = ?")
            defer { select.reset() }
            try select.bind(owner.key, at: 1)
            last =
                try select.step()
                ? select.integer(at: 0, "table \(table), column \(order)") ?? Self.step : Self.step
        }
        lastOrderKeys[owner] = last
        let next = last.addingReportingOverflow(Self.step)
        let update = try save.connection.statement(
            "UPDATE \(table) SET \(order) = ? WHERE Z_PK = ? AND \(order) IS NULL")
        try update.bind(next.overflow ? last : next.partialValue, at: 1)
        try update.bind(row.key, at: 2)
        try update.run()
        if save.connection.changedRowCount > 0, !next.overflow {
            lastOrderKeys[owner] = next.partialValue
        }
    }
}

/// The columns that hold an object's order key among an owner's members, by concrete entity.
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
