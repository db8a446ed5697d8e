import CairnModel
import CairnStore

/// Inserts the new rows of a save.
struct RowInserter {
    private struct Plan {
        let schema: EntitySchema
        let binding: RowBinding
        let statement: SQLiteStatement
    }

    let save: SaveContext
    private var plans: [EntityNumber: Plan] = [:]
    /// The highest key inserted in each root entity.
    private(set) var highestKeys: [EntityNumber: Int64] = [:]
    /// Rows whose unique values another row has.
    private(set) var clashing: [ObjectID] = []
    /// Rows whose key another row has.
    private(set) var occupied: [ObjectID] = []

    init(_ save: SaveContext) { self.save = save }

    /// - Throws: `.unsupportedValue`, `.unsupported`, `.fileFailure`, `.engineFailure`.
    mutating func insert(_ rows: RowBatch) throws(StoreError) {
        for index in rows.rowIndices { try insert(rows[row: index]) }
    }

    private mutating func insert(_ row: Row) throws(StoreError) {
        let plan = try plan(for: row.entity)
        let statement = plan.statement
        try statement.bind(row.key, at: 1)
        try statement.bind(plan.schema.storeNumber, at: 2)
        try statement.bind(row.version, at: 3)
        try plan.binding.bind(row, to: statement, in: save)
        let failure = withExtendedLifetime(row) { statement.runReturningFailure() }
        if let failure { return try note(failure, row.id) }
        highestKeys[row.rootEntity] = max(highestKeys[row.rootEntity] ?? 0, row.key)
    }

    private mutating func note(_ failure: SQLiteFailure, _ id: ObjectID) throws(StoreError) {
        if failure.isUniqueClash {
            clashing.append(id)
        } else if failure.isKeyClash {
            occupied.append(id)
        } else {
            throw failure.storeError(at: save.schema.location, waited: .zero)
        }
    }

    private mutating func plan(for entity: EntityNumber) throws(StoreError) -> Plan {
        if let plan = plans[entity] { return plan }
        let schema = try save.entitySchema(entity)
        guard !schema.entity.isAbstract else {
            throw .unsupported(
                save.schema.location, feature: "no objects of \(schema.entity.name)",
                advice: "The entity is abstract: save objects of its subentities.")
        }
        let binding = RowBinding(schema.slots.filter { !$0.isDerived }, firstParameter: 4)
        let columns = ["Z_PK", "Z_ENT", "Z_OPT"] + binding.columns.map(\.description)
        let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        let sql =
            "INSERT INTO \(schema.table) (\(columns.joined(separator: ", "))) VALUES (\(marks))"
        let plan = Plan(
            schema: schema, binding: binding, statement: try save.connection.statement(sql))
        plans[entity] = plan
        return plan
    }
}

extension SlotColumn {
    /// Whether the store computes the value.
    var isDerived: Bool {
        if case .attribute(let attribute) = property { attribute.isDerived } else { false }
    }
}
