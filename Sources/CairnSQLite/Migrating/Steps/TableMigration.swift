import CairnModel
import CairnSQL
import CairnStore

/// Changes tables and their columns.
struct TableMigration {
    let migration: InPlaceMigration

    private var plan: InPlacePlan { migration.plan }
    private var connection: SQLiteConnection { migration.connection }

    // MARK: Tables

    /// Renames tables and join tables. Returns `false` if another program's table has one of the
    /// new names.
    ///
    /// - Throws: `.engineFailure`.
    func rename() throws(StoreError) -> Bool {
        let stays = plan.joins.filter { !$0.new.isMembersTable }
        let names =
            plan.tables.map { ($0.oldTable, $0.newTable) }
            + stays.map { ($0.old?.table, $0.new.table) }
        let gone = Set((plan.droppedTables + plan.droppedJoins.map(\.table)).map(\.upperText))
        let renaming = NameMoves(
            names, taken: Set(migration.catalog.tables).subtracting(gone), mark: "Z_CAIRN_TABLE")
        guard let moves = renaming.moves else { return false }
        for move in moves {
            try connection.execute("ALTER TABLE \(move.from) RENAME TO \(move.to)")
        }
        return true
    }

    /// Creates the tables of new root entities and of new many-to-many relationships.
    ///
    /// - Throws: `.engineFailure`.
    func createTables() throws(StoreError) {
        let builder = SchemaBuilder(map: plan.newMap)
        for table in plan.tables where table.oldTable == nil {
            if let statement = builder.table(of: table.root) { try connection.execute(statement) }
        }
        for join in plan.joins where join.old == nil {
            guard let statement = builder.joinTableStatement(of: join.relationship) else {
                continue
            }
            try connection.execute(statement)
        }
    }

    // MARK: Columns

    /// Renames and adds columns, moves values and fills in defaults. Columns to be dropped still
    /// exist afterwards.
    ///
    /// - Parameter endStep: Called after each table.
    /// - Precondition: Rows still have the old entity numbers.
    /// - Returns: `false` if another program's column has the name of a new one.
    /// - Throws: `.engineFailure`, and the errors of `endStep`.
    func changeColumns(_ endStep: () throws(StoreError) -> Void) throws(StoreError) -> Bool {
        for table in plan.tables {
            if let old = table.oldTable {
                guard try columns(of: table, old).run() else { return false }
            }
            try endStep()
        }
        for join in plan.joins where join.old != nil {
            guard try changeColumns(of: join) else { return false }
        }
        return true
    }

    private func changeColumns(of join: JoinPlan) throws(StoreError) -> Bool {
        guard let old = join.old else { return true }
        let table = join.new.table
        let renaming = NameMoves(
            join.renamed.map { ($0.from, $0.to) },
            taken: Set(migration.catalog.columns(of: old.table)), mark: "Z_CAIRN_COLUMN")
        guard let moves = renaming.moves else { return false }
        for move in moves {
            try connection.execute("ALTER TABLE \(table) RENAME COLUMN \(move.from) TO \(move.to)")
        }
        for order in join.addedOrders {
            try connection.execute("ALTER TABLE \(table) ADD COLUMN \(order.column) INTEGER")
            try connection.execute(
                Self.ordering(
                    order.column, of: table, by: order.owner, then: order.member, key: "rowid"))
        }
        for order in join.droppedOrders {
            try connection.execute("ALTER TABLE \(table) DROP COLUMN \(order)")
        }
        return true
    }

    private func columns(of table: TablePlan, _ old: SQLName) -> ColumnMigration {
        ColumnMigration(
            table: table, present: Set(migration.catalog.columns(of: old)),
            defersCleanup: migration.defersCleanup, connection: connection)
    }

    /// Drops the columns that the new version does not have. Each drop rewrites the table.
    ///
    /// - Parameter endStep: Called after each table.
    /// - Precondition: No index covers these columns.
    /// - Throws: `.engineFailure`, and the errors of `endStep`.
    func dropColumns(_ endStep: () throws(StoreError) -> Void) throws(StoreError) {
        for table in plan.tables {
            for name in table.oldTable.map({ columns(of: table, $0).droppedNames }) ?? [] {
                try connection.execute("ALTER TABLE \(table.newTable) DROP COLUMN \(name)")
            }
            try endStep()
        }
    }

    // MARK: Computed values

    /// Computes destination entities, order keys and counts.
    ///
    /// - Precondition: Tables and rows have their new names and numbers.
    /// - Throws: `.engineFailure`.
    func compute() throws(StoreError) {
        for table in plan.tables {
            for plan in table.columns {
                guard let statement = statement(for: plan, of: table.newTable) else { continue }
                try connection.execute(statement)
            }
        }
    }

    private func statement(for plan: ColumnPlan, of table: SQLName) -> String? {
        let column = plan.column.name
        switch plan.computation {
        case nil: return nil
        case .destinationEntity(let key, let destination):
            return "UPDATE \(table) SET \(column) = (SELECT d.Z_ENT FROM \(destination) AS d"
                + " WHERE d.Z_PK = \(table).\(key)) WHERE \(key) IS NOT NULL"
        case .order(let key):
            return Self.ordering(column, of: table, by: key, then: SQLName("Z_PK"), key: "Z_PK")
        case .count(let members, let key):
            let numbers = plan.column.users.compactMap {
                self.plan.newMap.storeNumber(of: $0.number).map(String.init)
            }
            return "UPDATE \(table) SET \(column) = (SELECT count(*) FROM \(members) AS m"
                + " WHERE m.\(key) = \(table).Z_PK)"
                + " WHERE Z_ENT IN (\(numbers.joined(separator: ", ")))"
        }
    }

    /// Returns the statement that orders the members of each owner. As in Core Data, the first
    /// member gets 2048 and each later one 1024 more.
    private static func ordering(
        _ column: SQLName, of table: SQLName, by owner: SQLName, then member: SQLName, key: String
    ) -> String {
        "UPDATE \(table) SET \(column) = o.position FROM (SELECT \(key) AS id,"
            + " 1024 * (1 + row_number() OVER (PARTITION BY \(owner) ORDER BY \(member))) AS position"
            + " FROM \(table) WHERE \(owner) IS NOT NULL) AS o WHERE o.id = \(table).\(key)"
    }
}
