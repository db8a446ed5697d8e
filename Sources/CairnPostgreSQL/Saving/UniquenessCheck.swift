import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore

/// Finds rows that a save would leave with equal values that must be unique.
struct UniquenessCheck {
    private let schema: StoreSchema
    private let changed: Set<ObjectID>
    private let asked: [(unique: UniqueProperties, table: PostgresTable)]
    /// For each constraint that the save may violate, the statement that finds the rows with equal values. The server's
    /// equality finds a few more than equal ones, such as 0 and −0.
    let statements: [PostgresStatement]

    init(_ request: SaveRequest, _ computed: [Row], _ schema: StoreSchema) {
        self.schema = schema
        changed = Set((request.updated.map(\.row) + request.inserted.rows + computed).map(\.id))
        var asked: [(UniqueProperties, PostgresTable)] = []
        var statements: [PostgresStatement] = []
        for unique in UniqueProperties.all(in: schema.layouts) where !changed.isEmpty {
            let keys = Set(
                (Self.written(request, unique) + computed).filter {
                    unique.slots(in: $0.entity) != nil
                }.map(\.key))
            guard !keys.isEmpty, let entity = schema.layouts.model.entity(named: unique.entity),
                let table = schema.table(of: entity),
                let statement = Self.statement(unique, entity, table, schema, keys)
            else { continue }
            asked.append((unique, table))
            statements.append(statement)
        }
        self.asked = asked
        self.statements = statements
    }

    /// Returns the rows to whose constrained values the save gives new values.
    private static func written(_ request: SaveRequest, _ unique: UniqueProperties) -> [Row] {
        let updated = request.updated.filter { update in
            unique.slots(in: update.row.entity)?
                .contains { update.changedSlots.contains(Int($0.index)) } == true
        }
        return updated.map(\.row) + request.inserted.rows
    }

    /// More values of one constraint are locked together.
    private static let mostLocks = 32

    /// Returns the statement that keeps other saves from taking the same values before this one has ended. The server's
    /// own constraints would compare values in another way, and at another time.
    static func locking(_ request: SaveRequest, _ locks: SaveLocks) -> PostgresStatement? {
        var constraints: [Int64: Bool] = [:]
        var numbers: Set<Int64> = []
        for unique in UniqueProperties.all(in: locks.schema.layouts) {
            let subject = "\(unique.entity) \(unique.properties)"
            let values = written(request, unique).lazy.compactMap(unique.values(of:))
            let some = Array(values.prefix(mostLocks + 1))
            guard !some.isEmpty else { continue }
            constraints[locks.number(subject, [])] = some.count > mostLocks
            if some.count <= mostLocks {
                numbers.formUnion(some.map { locks.number(subject, $0) })
            }
        }
        return locks.taking(constraints: constraints, values: numbers)
    }

    private static func statement(
        _ unique: UniqueProperties, _ entity: Entity, _ table: PostgresTable, _ schema: StoreSchema,
        _ keys: Set<Int64>
    ) -> PostgresStatement? {
        let layout = schema.layouts.layout(of: entity)
        let columns = unique.properties.compactMap { name in
            table.column(layout.slot(named: name).map { Int($0.index) }, of: entity)?.name
        }
        guard columns.count == unique.properties.count else { return nil }
        let entities = schema.list(of: entity.hierarchyNumbers.map { $0 })
        let equal = columns.map { "a.\($0) = b.\($0)" }.joined(separator: " AND ")
        return PostgresStatement(
            """
            SELECT a._key, b._key FROM \(table.name) AS a JOIN \(table.name) AS b
            ON \(equal) AND a._key <> b._key AND b._entity IN (\(entities))
            WHERE a._key = ANY($1) AND a._entity IN (\(entities))
            """, [.integers(keys.sorted())])
    }

    /// Reads the results of ``statements``.
    ///
    /// - Throws: `.uniquenessConflicts` with all conflicts.
    func requireNone(
        _ results: [PostgresResult], _ connection: PostgresConnection
    ) throws(StoreError) {
        var conflicts: [UniquenessConflict] = []
        for ((unique, table), result) in zip(asked, results) where result.rowCount > 0 {
            let keys = (0..<result.rowCount).flatMap { row in
                [0, 1].compactMap { result.integer(row, $0, as: Int64.self) }
            }
            let ids = Set(keys).map {
                ObjectID(
                    store: schema.store, rootEntity: table.root.number, entity: table.root.number,
                    key: $0)
            }
            let batch = try PostgresRowsByKey(ids, schema).read { (statements) throws(StoreError) in
                try connection.run(statements, for: "prepare")
            }
            let rows = batch.rows.sorted { $0.key < $1.key }
            let groups = Dictionary(grouping: rows) { unique.values(of: $0) }
            conflicts += try UniquenessConflict.find(
                unique.entity, unique.properties, of: rows.filter { changed.contains($0.id) },
                changed: changed
            ) { (row) throws(StoreError) in
                guard let values = unique.values(of: row) else { return [] }
                return groups[values] ?? []
            }
        }
        if !conflicts.isEmpty { throw .uniquenessConflicts(conflicts) }
    }
}
