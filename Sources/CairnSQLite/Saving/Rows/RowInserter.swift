import CairnModel
import CairnRows
import CairnSQL
import CairnStore

/// Inserts the new rows of a save.
struct RowInserter {
    /// How rows of one entity are inserted.
    final class Plan {
        fileprivate let schema: EntitySchema
        fileprivate let binding: RowBinding
        fileprivate let statement: SQLiteStatement

        fileprivate init(
            _ schema: EntitySchema, _ binding: RowBinding, _ statement: SQLiteStatement
        ) {
            self.schema = schema
            self.binding = binding
            self.statement = statement
        }
    }

    /// A run of adjacent rows of one entity.
    private struct Run {
        let entity: EntityNumber
        let root: EntityNumber
        let range: Range<Int>
        let highestKey: Int64
    }

    let save: SaveContext
    /// The highest key inserted in each root entity.
    private(set) var highestKeys: [EntityNumber: Int64] = [:]
    /// Rows whose unique values belong to another row.
    private(set) var clashing: [ObjectID] = []
    /// Rows whose key belongs to another row.
    private(set) var occupied: [ObjectID] = []

    init(_ save: SaveContext) { self.save = save }

    /// - Throws: `.unsupportedValue`, `.unsupported`, `.cancelled`, `.fileFailure`,
    ///   `.engineFailure`.
    mutating func insert(_ rows: RowBatch, reporter: SaveReporter?) throws(StoreError) {
        let runs = Self.runs(of: rows)
        let deferred = try deferIndexes(of: runs)
        for run in runs {
            let plan = try plan(for: run.entity)
            for index in run.range {
                try insert(rows[row: index], plan)
                try reporter?.wrote()
            }
            highestKeys[run.root] = max(highestKeys[run.root] ?? 0, run.highestKey)
        }
        for indexes in deferred { try indexes.make() }
    }

    private mutating func insert(_ row: Row, _ plan: Plan) throws(StoreError) {
        let statement = plan.statement
        try statement.bind(row.key, at: 1)
        try statement.bind(plan.schema.storeNumber, at: 2)
        try statement.bind(row.version, at: 3)
        try plan.binding.bind(row, to: statement, in: save)
        let failure = withExtendedLifetime(row) { statement.runReturningFailure() }
        if let failure { return try note(failure, row.id) }
        // A trigger in the file may skip a row without an error, with RAISE(IGNORE).
        guard save.connection.changedRowCount > 0 else {
            throw .unsupported(
                save.schema.location,
                feature: "a trigger that prevents rows from being added to \(plan.schema.table)",
                advice: "Nothing was saved. Drop the trigger, or copy the store to a new one.")
        }
    }

    private mutating func note(_ failure: SQLiteFailure, _ id: ObjectID) throws(StoreError) {
        // A file may say that a clash ends the transaction. What is written after that would be saved at once.
        if !save.connection.isInTransaction {
            throw storeError(failure)
        } else if failure.isUniqueClash {
            clashing.append(id)
        } else if failure.isKeyClash {
            occupied.append(id)
        } else {
            throw storeError(failure)
        }
    }

    private func storeError(_ failure: SQLiteFailure) -> StoreError {
        failure.storeError(at: save.schema.location)
    }

    private static func runs(of rows: RowBatch) -> [Run] {
        var runs: [Run] = []
        var start = 0
        while start < rows.rowIndices.count {
            let first = rows[row: start]
            let entity = first.entity
            var (end, highest) = (start, Int64.min)
            while end < rows.rowIndices.count {
                let row = rows.pointer(at: end)
                guard row.entity == entity else { break }
                highest = max(highest, row.key)
                end += 1
            }
            runs.append(
                Run(
                    entity: entity, root: first.rootEntity, range: start..<end,
                    highestKey: highest))
            start = end
        }
        return runs
    }

    /// Drops the indexes of empty tables that will get many rows.
    private func deferIndexes(of runs: [Run]) throws(StoreError) -> [DeferredIndexes] {
        var counts: [EntityNumber: Int] = [:]
        for run in runs { counts[run.root, default: 0] += run.range.count }
        var deferred: [DeferredIndexes] = []
        for (root, count) in counts where count >= DeferredIndexes.fewestRows {
            let table = try save.entitySchema(root).table
            if let indexes = try DeferredIndexes(of: table, on: save.connection) {
                deferred.append(indexes)
            }
        }
        return deferred
    }

    // MARK: Plans

    private func plan(for entity: EntityNumber) throws(StoreError) -> Plan {
        try save.connection.savePlans.insertion(of: entity) { () throws(StoreError) in
            try makePlan(for: entity)
        }
    }

    private func makePlan(for entity: EntityNumber) throws(StoreError) -> Plan {
        let schema = try save.entitySchema(entity)
        guard !schema.entity.isAbstract else {
            throw .unsupported(
                save.schema.location, feature: "no objects of \(schema.entity.name)",
                advice: "The entity is abstract. Save objects of its subentities.")
        }
        let binding = RowBinding(schema.slots.filter { !$0.isDerived }, firstParameter: 4)
        let columns = ["Z_PK", "Z_ENT", "Z_OPT"].map(SQLName.init(_:)) + binding.columns
        let list = columns.map(\.description).joined(separator: ", ")
        let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        let statement = try save.connection.statement(
            "INSERT INTO \(schema.table) (\(list)) VALUES (\(marks))")
        return Plan(schema, binding, statement)
    }
}

extension SlotColumn {
    /// Whether the store computes the value.
    var isDerived: Bool {
        if case .attribute(let attribute) = property { attribute.isDerived } else { false }
    }
}
