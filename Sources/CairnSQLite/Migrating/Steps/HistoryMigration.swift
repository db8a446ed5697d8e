import CairnModel
import CairnSQL
import CairnStore
import Foundation

/// Rewrites persistent history for the new version, as Core Data's migrations do.
///
/// Removes the changes of removed entities, updates the entity numbers of all other changes, and
/// moves the bits of updates so that they stand for the same properties as before. Records the
/// migration as a transaction.
struct HistoryMigration {
    private let plan: InPlacePlan
    private let connection: SQLiteConnection
    private let oldCatalog: SchemaCatalog
    private let newMap: SchemaMap

    /// - Parameter newMap: The tables and columns that the new version has at this point.
    init(migration: InPlaceMigration, newMap: SchemaMap) {
        plan = migration.plan
        connection = migration.connection
        oldCatalog = migration.catalog
        self.newMap = newMap
    }

    /// Rewrites the history. Has no effect in a store without history.
    ///
    /// - Throws: `.corrupt` or `.engineFailure`.
    func run() throws(StoreError) {
        guard HistoryTables(oldCatalog) != nil else { return }
        try removeChanges()
        let catalog = try SchemaCatalog(reading: connection)
        for (old, number) in plan.pairs.old.entities {
            guard let new = plan.pairs.new(of: old) else { continue }
            try moveBits(of: old, number, to: new, catalog)
        }
        try renumber()
        try addTombstones()
        try recordMigration()
    }

    private func removeChanges() throws(StoreError) {
        let removed = plan.pairs.old.entities.filter { plan.pairs.new(of: $0.entity) == nil }
        guard !removed.isEmpty else { return }
        let numbers = removed.map { "\($0.number)" }.joined(separator: ", ")
        try connection.execute(
            "DELETE FROM \(HistoryTables.change) WHERE ZENTITY IN (\(numbers))")
    }

    private func renumber() throws(StoreError) {
        let numbers = plan.pairs.renumbered
        guard !numbers.isEmpty else { return }
        let column = SQLName("ZENTITY")
        let old = numbers.map { "\($0.old)" }.joined(separator: ", ")
        try connection.execute(
            "UPDATE \(HistoryTables.change) SET \(column) ="
                + " \(EntityRenumbering.renumbered(column, numbers)) WHERE \(column) IN (\(old))")
    }

    // MARK: Bits of updates

    private func moveBits(
        of old: Entity, _ number: Int64, to new: Entity, _ catalog: SchemaCatalog
    ) throws(StoreError) {
        guard let oldSchema = plan.oldMap.schema(of: old), let newSchema = newMap.schema(of: new)
        else { return }
        let before = ChangeMap(oldSchema, oldCatalog)
        let after = ChangeMap(newSchema, catalog)
        let moves = BitMoves(
            before: before, after: after, columns: columnNames(of: new),
            toManys: toManyNames(of: new))
        guard !moves.keepsAll else { return }
        let select = try SQLiteStatement(
            "SELECT Z_PK, ZCOLUMNS FROM \(HistoryTables.change)"
                + " WHERE ZENTITY = \(number) AND ZCOLUMNS IS NOT NULL", on: connection)
        var changed: [(key: Int64, bits: Data)] = []
        while try select.step() {
            guard let bits = select.data(at: 1) else { continue }
            changed.append((select.int64(at: 0), moves.moved(bits)))
        }
        let update = try connection.statement(
            "UPDATE \(HistoryTables.change) SET ZCOLUMNS = ?1 WHERE Z_PK = ?2")
        for (key, bits) in changed {
            try update.bind(bits, at: 1)
            try update.bind(key, at: 2)
            try update.run()
        }
    }

    /// Returns the old and new name of each column of an entity that has a source, in upper case.
    private func columnNames(of entity: Entity) -> [(old: String, new: String)] {
        plan.tables.flatMap(\.columns).compactMap { plan in
            plan.sources[entity].map { ($0.upperText, plan.column.name.upperText) }
        }
    }

    private func toManyNames(of entity: Entity) -> [(old: String, new: String)] {
        entity.relationships.filter { $0.isToMany && !$0.isTransient }.compactMap { new in
            plan.relationships[new].map { ($0.name, new.name) }
        }
    }

    // MARK: Additions of Core Data's migrations

    /// Adds the missing tombstone columns. An entity needs one for each attribute whose value is
    /// preserved when an object is deleted.
    private func addTombstones() throws(StoreError) {
        for index in 0..<newMap.entities.tombstoneCount {
            let column = SQLName("ZTOMBSTONE\(index)")
            guard !oldCatalog.hasColumn(column, in: HistoryTables.change) else { continue }
            try connection.execute(
                "ALTER TABLE \(HistoryTables.change) ADD COLUMN \(column) BLOB")
        }
    }

    /// Adds a transaction without changes, whose author names the old version.
    private func recordMigration() throws(StoreError) {
        let digest = plan.oldMap.model.versionHashesDigest
        let author = try key(
            ofText:
                "com.apple.coredata.schemamigrator: lightweight migration from model with digest"
                + " { \(digest) }")
        let process = try key(ofText: ProcessInfo.processInfo.processName)
        let key = try nextKey(HistoryTables.EntityID.transaction, HistoryTables.transaction)
        let insert = try connection.statement(
            """
            INSERT INTO \(HistoryTables.transaction) (Z_PK, Z_ENT, Z_OPT, ZAUTHORTS, ZBUNDLEIDTS, \
            ZPROCESSIDTS, ZTIMESTAMP) VALUES (?1, ?2, NULL, ?3, ?4, ?4, ?5)
            """)
        try insert.bind(key, at: 1)
        try insert.bind(HistoryTables.EntityID.transaction, at: 2)
        try insert.bind(author, at: 3)
        try insert.bind(process, at: 4)
        try insert.bind(Date().timeIntervalSinceReferenceDate, at: 5)
        try insert.run()
    }

    private func key(ofText text: String) throws(StoreError) -> Int64 {
        let select = try connection.statement(
            "SELECT Z_PK FROM \(HistoryTables.text) WHERE ZNAME = ?1")
        try select.bind(text, at: 1)
        defer { select.reset() }
        if try select.step() {
            return try select.key(at: 0, "table \(HistoryTables.text), column Z_PK")
        }
        let key = try nextKey(HistoryTables.EntityID.text, HistoryTables.text)
        let insert = try connection.statement(
            "INSERT INTO \(HistoryTables.text) (Z_PK, Z_ENT, Z_OPT, ZNAME)"
                + " VALUES (?1, ?2, NULL, ?3)")
        try insert.bind(key, at: 1)
        try insert.bind(HistoryTables.EntityID.text, at: 2)
        try insert.bind(text, at: 3)
        try insert.run()
        return key
    }

    private func nextKey(_ entity: Int64, _ table: SQLName) throws(StoreError) -> Int64 {
        let keys = PrimaryKeyTable(connection: connection)
        let last = try keys.lastKey(ofRoot: entity, table: table)
        guard last < .max else {
            throw .corrupt(
                connection.location, location: "the keys of table \(table)",
                detail: "Z_MAX or Z_PK is the greatest possible number, so there are no keys left")
        }
        try keys.raise(root: entity, to: last + 1)
        return last + 1
    }
}

/// Updates the entity numbers in rows to those of the new version.
///
/// Reads each table that may contain a changed entity number, and writes only the rows that contain
/// one.
struct EntityRenumbering {
    let plan: InPlacePlan
    let connection: SQLiteConnection

    /// - Precondition: Tables and columns already have their new names.
    /// - Throws: `.corrupt` or `.engineFailure`.
    func run() throws(StoreError) {
        let numbers = plan.pairs.renumbered
        guard !numbers.isEmpty else { return }
        for table in plan.tables where table.oldTable != nil {
            var columns: [SQLName] = []
            if concerns(numbers, table.root) { columns.append(SQLName("Z_ENT")) }
            for plan in table.columns where plan.column.role == .entity && plan.kept != nil {
                guard case .relationship(let relationship) = plan.column.property else { continue }
                if concerns(numbers, relationship.destination.rootEntity) {
                    columns.append(plan.column.name)
                }
            }
            try renumber(columns, of: table.newTable, numbers)
        }
    }

    private func concerns(_ numbers: [(old: Int64, new: Int64)], _ root: Entity) -> Bool {
        let own = Set(plan.pairs.oldNumbers(of: root.hierarchy))
        return numbers.contains { own.contains($0.old) }
    }

    private func renumber(
        _ columns: [SQLName], of table: SQLName, _ numbers: [(old: Int64, new: Int64)]
    ) throws(StoreError) {
        guard !columns.isEmpty else { return }
        let assignments = columns.map { "\($0) = \(Self.renumbered($0, numbers))" }
        let old = numbers.map { "\($0.old)" }.joined(separator: ", ")
        let conditions = columns.map { "\($0) IN (\(old))" }
        try connection.execute(
            "UPDATE \(table) SET \(assignments.joined(separator: ", "))"
                + " WHERE \(conditions.joined(separator: " OR "))")
    }

    /// Returns an expression for a column's new entity number. Numbers that do not change stay as
    /// they are.
    static func renumbered(_ column: SQLName, _ numbers: [(old: Int64, new: Int64)]) -> String {
        let cases = numbers.map { "WHEN \($0.old) THEN \($0.new)" }.joined(separator: " ")
        return "CASE \(column) \(cases) ELSE \(column) END"
    }
}

/// The new positions of the bits in `ZCOLUMNS` for one entity. Each bit stands for a column or a
/// to-many relationship.
struct BitMoves {
    private var targets: [Int: Int] = [:]
    private let byteCount: Int
    /// Whether all bitmaps stay unchanged.
    let keepsAll: Bool

    /// - Parameters:
    ///   - columns: The old and new names of the columns that are kept, in upper case.
    ///   - toManys: The old and new names of the to-many relationships that are kept.
    init(
        before: ChangeMap, after: ChangeMap, columns: [(old: String, new: String)],
        toManys: [(old: String, new: String)]
    ) {
        for (old, new) in columns {
            guard let from = before.bitsByColumn[old], let to = after.bitsByColumn[new] else {
                continue
            }
            targets[from] = to
        }
        for (old, new) in toManys {
            guard let from = before.bitsByToMany[old], let to = after.bitsByToMany[new] else {
                continue
            }
            targets[from] = to
        }
        byteCount = after.byteCount
        let count = before.bitsByColumn.count + before.bitsByToMany.count
        keepsAll =
            before.byteCount == after.byteCount && targets.count == count
            && targets.allSatisfy { $0.key == $0.value }
    }

    /// Returns the bitmap for the new version.
    func moved(_ bits: Data) -> Data {
        let old = Array(bits)
        var new = Data(count: byteCount)
        for (from, to) in targets {
            guard from / 8 < old.count, old[from / 8] & (0x80 >> UInt8(from % 8)) != 0 else {
                continue
            }
            new[to / 8] |= 0x80 >> UInt8(to % 8)
        }
        return new
    }
}
