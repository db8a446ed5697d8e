import CairnModel
import CairnSQL
import CairnStore

extension SQLiteStore {
    /// Checks the file with SQLite's own integrity check, which covers its pages and each index
    /// against its table. Also finds rows whose `Z_ENT` is not an entity of their table, because no
    /// fetch by entity returns them, rows without a version, and keys above the last assigned one.
    ///
    /// Reports at most 100 disagreements of each kind and table. Takes as long as reading the whole
    /// file a few times.
    ///
    /// - Throws: `.closed`, `.busy`, `.corrupt` if the file is too damaged to be checked, or
    ///   `.engineFailure`.
    package func findDisagreements() throws(StoreError) -> [StoreDisagreement] {
        try readers.checkOut().withConnection { (connection) throws(StoreError) in
            let check = try connection.statement("PRAGMA integrity_check(100)")
            var found: [StoreDisagreement] = []
            while try check.step() {
                guard let detail = check.text(at: 0), detail != "ok" else { continue }
                found.append(StoreDisagreement(location: "the SQLite file", detail: detail))
            }
            for root in schema.map.model.entities where root.superentity == nil {
                found += try rowsOfUnknownEntities(among: root, connection)
                found += try wrongKeysAndVersions(of: root, connection)
            }
            return found
        }
    }

    /// Compares the greatest key with `Z_MAX`, from which Core Data assigns keys, and counts the rows
    /// without a version, with which Core Data compares the version that it has read.
    private func wrongKeysAndVersions(
        of root: Entity, _ connection: SQLiteConnection
    ) throws(StoreError) -> [StoreDisagreement] {
        guard let schema = schema.map.schema(of: root) else { return [] }
        let table = schema.table
        let select = try connection.statement(
            "SELECT max(Z_PK), count(*) - count(Z_OPT), ifnull((SELECT Z_MAX FROM Z_PRIMARYKEY"
                + " WHERE Z_ENT = \(schema.storeNumber)), 0) FROM \(table)")
        defer { select.reset() }
        guard try select.step() else { return [] }
        let (key, versionlessCount) = (select.int64(at: 0), select.int64(at: 1))
        var found: [StoreDisagreement] = []
        if key > select.int64(at: 2) {
            found.append(
                StoreDisagreement(
                    location: "Z_PRIMARYKEY",
                    detail:
                        "Z_MAX of \(root.name) is less than \(key), which is a key in table \(table):"
                        + " Core Data would assign keys that are in use"))
        }
        if versionlessCount > 0 {
            let rows = Int(versionlessCount).counted("row")
            found.append(
                StoreDisagreement(
                    location: "table \(table)",
                    detail:
                        "\(rows) \(versionlessCount == 1 ? "has" : "have") no version (Z_OPT is NULL)"
                ))
        }
        return found
    }

    /// Returns the rows of a table that belong to none of its entities.
    private func rowsOfUnknownEntities(
        among root: Entity, _ connection: SQLiteConnection
    ) throws(StoreError) -> [StoreDisagreement] {
        guard let table = schema.map.schema(of: root)?.table else { return [] }
        let numbers = schema.map.storeNumbers(of: root.hierarchyNumbers).map(String.init)
        let rows = try connection.statement(
            "SELECT Z_PK, Z_ENT FROM \(table)"
                + " WHERE Z_ENT IS NULL OR Z_ENT NOT IN (\(numbers.joined(separator: ",")))"
                + " LIMIT 100")
        var found: [StoreDisagreement] = []
        while try rows.step() {
            let (key, number) = (rows.text(at: 0) ?? "NULL", rows.text(at: 1) ?? "NULL")
            found.append(
                StoreDisagreement(
                    location: "table \(table)",
                    detail:
                        "row \(key) belongs to entity \(number), which is not \(root.name) or a subentity"
                ))
        }
        return found
    }

    /// Returns the columns and tables in Core Data's form that hold values but belong to nothing in
    /// the model, and rows that belong to no entity of the model. Positions in the order of members
    /// do not count as values, nor does what a migration has left to be dropped later.
    ///
    /// The tables of persistent history and of mirroring, and tables with names of another form,
    /// are left out.
    ///
    /// - Throws: `.closed`, `.busy`, `.corrupt` or `.engineFailure`.
    package func findUnexplainedValues() throws(StoreError) -> [StoreDisagreement] {
        try readers.checkOut().withConnection { (connection) throws(StoreError) in
            let catalog = try SchemaCatalog(reading: connection)
            let explained = schema.map.columnsByTable
            var found: [StoreDisagreement] = []
            for name in catalog.tables.sorted() {
                let (table, columns) = (SQLName(name), catalog.columns(of: SQLName(name)))
                if let known = explained[name] {
                    let extra = Self.extraColumns(among: columns, explained: known)
                    found += try valuesOfColumns(extra, table, connection)
                } else if Self.isModelTable(name, columns) {
                    found += try rowsOfTable(table, connection)
                }
            }
            for root in schema.map.model.entities where root.superentity == nil {
                found += try rowsOfUnknownEntities(among: root, connection)
            }
            return found
        }
    }

    private static func extraColumns(among columns: [String], explained: Set<String>) -> [String] {
        columns.filter { column in
            if explained.contains(column) || column.hasPrefix("Z_FOK_")
                || DeferredColumn.isName(column)
            {
                return false
            }
            // The number of the destination's entity, whose column may have an outdated name.
            return !explained.contains { key in
                column.isNumber(between: "Z", and: "_\(key.dropFirst())")
            }
        }
    }

    /// Returns whether a table has Core Data's form for the objects of an entity, or for the pairs
    /// of a relationship.
    private static func isModelTable(_ name: String, _ columns: [String]) -> Bool {
        if !name.hasPrefix("Z") || SchemaNames.bookkeepingTables.contains(name) { return false }
        let isJoinTable =
            name.hasPrefix("Z_") && name.dropFirst(2).first.map { "0"..."9" ~= $0 } == true
        return isJoinTable || SchemaNames.fixedColumns.allSatisfy(columns.contains)
    }

    private func valuesOfColumns(
        _ columns: [String], _ table: SQLName, _ connection: SQLiteConnection
    ) throws(StoreError) -> [StoreDisagreement] {
        if columns.isEmpty { return [] }
        let list = columns.map { "count(\(SQLName($0).quoted))" }.joined(separator: ", ")
        let select = try connection.statement("SELECT \(list) FROM \(table)")
        defer { select.reset() }
        guard try select.step() else { return [] }
        return columns.indices.filter { select.int64(at: $0) > 0 }.map { index in
            let count = select.int64(at: index)
            return StoreDisagreement(
                location: "table \(table)",
                detail:
                    "the column \(columns[index]) has \(count == 1 ? "a value" : "\(count) values"),"
                    + " but belongs to no property of the model")
        }
    }

    private func rowsOfTable(
        _ table: SQLName, _ connection: SQLiteConnection
    ) throws(StoreError) -> [StoreDisagreement] {
        let select = try connection.statement("SELECT count(*) FROM \(table)")
        defer { select.reset() }
        guard try select.step(), select.int64(at: 0) > 0 else { return [] }
        let count = select.int64(at: 0)
        return [
            StoreDisagreement(
                location: "table \(table)",
                detail:
                    "it has \(count == 1 ? "a row" : "\(count) rows"), but belongs to no entity or"
                    + " relationship of the model")
        ]
    }
}

extension SchemaMap {
    /// The columns that hold parts of the model, by table. All names are in upper case.
    fileprivate var columnsByTable: [String: Set<String>] {
        var columns: [String: Set<String>] = [:]
        for entity in model.entities {
            guard let schema = schema(of: entity) else { continue }
            columns[schema.table.upperText, default: []].formUnion(
                SchemaNames.fixedColumns
                    + schema.slots.flatMap(\.allNames).map(\.upperText))
        }
        for join in model.entities.flatMap(\.ownRelationships).compactMap(joinTable(of:)) {
            columns[join.table.upperText, default: []].formUnion(
                [join.ownerColumn.upperText, join.memberColumn.upperText])
        }
        return columns
    }
}
