import CairnModel
import CairnRows
import CairnStore

/// Inserts the new rows of a save.
struct RowInserter {
    /// How rows of one entity are inserted: one by one, or many with one statement.
    final class Plan {
        fileprivate let schema: EntitySchema
        fileprivate let binding: RowBinding
        fileprivate let statement: SQLiteStatement
        fileprivate let columns: [SQLName]
        /// Created for the first run of several rows, because a save of single objects does not
        /// need it.
        fileprivate var many = Many.unknown

        fileprivate init(
            _ schema: EntitySchema, _ binding: RowBinding, _ statement: SQLiteStatement,
            columns: [SQLName]
        ) {
            self.schema = schema
            self.binding = binding
            self.statement = statement
            self.columns = columns
        }
    }

    fileprivate enum Many {
        case unknown
        /// ``RowsTable`` cannot supply the rows.
        case oneByOne
        case together(Together)
    }

    fileprivate struct Together {
        let statement: SQLiteStatement
        let columns: ContiguousArray<RowBinding.Source>
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

    /// Shorter runs are inserted one by one.
    private static let fewestTogether = 8
    /// The maximum number of rows that one statement inserts if the caller is informed of the
    /// progress.
    private static let mostReported = 1000

    init(_ save: SaveContext) { self.save = save }

    /// - Throws: `.unsupportedValue`, `.unsupported`, `.cancelled`, `.fileFailure`,
    ///   `.engineFailure`.
    mutating func insert(_ rows: RowBatch, reporter: SaveReporter?) throws(StoreError) {
        let runs = Self.runs(of: rows)
        let deferred = try deferIndexes(of: runs)
        for run in runs {
            let plan = try plan(for: run.entity)
            if run.range.count >= Self.fewestTogether, let together = try together(plan) {
                try insert(rows, run.range, together, plan, reporter)
            } else {
                for index in run.range {
                    try insert(rows[row: index], plan)
                    try reporter?.wrote()
                }
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

    /// Inserts a run of rows: all with one statement, or in parts if progress is reported.
    private mutating func insert(
        _ rows: RowBatch, _ range: Range<Int>, _ together: Together, _ plan: Plan,
        _ reporter: SaveReporter?
    ) throws(StoreError) {
        guard let reporter else { return try insert(rows, range, together, plan) }
        for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.mostReported) {
            let part = start..<min(start + Self.mostReported, range.upperBound)
            try insert(rows, part, together, plan)
            try reporter.wrote(part.count)
        }
    }

    /// Inserts a run of rows with one statement. A rejected row ends the statement, which is then
    /// run again for the rows after it.
    private mutating func insert(
        _ rows: RowBatch, _ range: Range<Int>, _ together: Together, _ plan: Plan
    ) throws(StoreError) {
        let source = RowsTable.Source(
            rows, range, columns: together.columns, of: plan.binding,
            storeNumber: plan.schema.storeNumber, in: save)
        while !source.isAtEnd {
            guard let refusal = try source.run(together.statement) else { return }
            guard !source.isAtEnd else { throw storeError(refusal) }
            try note(refusal, rows[row: source.index].id)
            source.advance()
        }
    }

    private mutating func note(_ failure: SQLiteFailure, _ id: ObjectID) throws(StoreError) {
        if failure.isUniqueClash {
            clashing.append(id)
        } else if failure.isKeyClash {
            occupied.append(id)
        } else {
            throw storeError(failure)
        }
    }

    private func storeError(_ failure: SQLiteFailure) -> StoreError {
        failure.storeError(at: save.schema.location, waited: .zero)
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
        let columns = ["Z_PK", "Z_ENT", "Z_OPT"].map(SQLName.init) + binding.columns
        let list = columns.map(\.description).joined(separator: ", ")
        let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        let statement = try save.connection.statement(
            "INSERT INTO \(schema.table) (\(list)) VALUES (\(marks))")
        return Plan(schema, binding, statement, columns: columns)
    }

    private func together(_ plan: Plan) throws(StoreError) -> Together? {
        if case .unknown = plan.many {
            let made = try makeTogether(plan.schema, plan.binding, plan.columns)
            plan.many = made.map(Many.together) ?? .oneByOne
        }
        if case .together(let together) = plan.many { return together }
        return nil
    }

    /// Returns the plan for inserting many rows with one statement. Returns `nil` for a table with
    /// triggers: SQLite would then copy the rows first, so the current row would not tell which row
    /// was rejected.
    private func makeTogether(
        _ schema: EntitySchema, _ binding: RowBinding, _ columns: [SQLName]
    ) throws(StoreError) -> Together? {
        guard columns.count <= RowsTable.columnCount, let sources = binding.sources,
            try !hasTriggers(schema.table)
        else { return nil }
        // In the table's order, each value is requested just when SQLite builds that part of the
        // row.
        let order = try columnOrder(of: schema.table)
        let sorted = columns.enumerated().sorted {
            order[$0.element, default: 0] < order[$1.element, default: 0]
        }
        let list = sorted.map(\.element.description).joined(separator: ", ")
        let values = sorted.map { "c\($0.offset + 1)" }.joined(separator: ", ")
        // FAIL keeps the rows before a rejected one, and needs no journal for the statement.
        let statement = try save.connection.statement(
            "INSERT OR FAIL INTO \(schema.table) (\(list)) SELECT \(values) FROM cairn_rows(?)")
        return Together(statement: statement, columns: sources)
    }

    private func hasTriggers(_ table: SQLName) throws(StoreError) -> Bool {
        let select = try save.connection.statement(
            "SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE")
        defer { select.reset() }
        try select.bind(table.text, at: 1)
        return try select.step()
    }

    private func columnOrder(of table: SQLName) throws(StoreError) -> [SQLName: Int] {
        let select = try save.connection.statement("SELECT name FROM pragma_table_info(?)")
        try select.bind(table.text, at: 1)
        var order: [SQLName: Int] = [:]
        while try select.step() {
            if let name = select.text(at: 0) { order[SQLName(name)] = order.count }
        }
        return order
    }
}

extension SlotColumn {
    /// Whether the store computes the value.
    var isDerived: Bool {
        if case .attribute(let attribute) = property { attribute.isDerived } else { false }
    }
}
