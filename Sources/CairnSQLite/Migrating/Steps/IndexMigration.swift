import CairnModel
import CairnSQL
import CairnStore

/// Drops and creates indexes for the new version.
///
/// An index that covers the same columns as an index of the new version is kept, if necessary under
/// its old name, because the time to create it again would grow with the store.
final class IndexMigration {
    private let plan: InPlacePlan
    private let connection: SQLiteConnection
    /// The names of the existing indexes that belong to the old version.
    private let owned: Set<String>
    /// The tables with uniqueness constraints that are part of the table.
    private var constrainedTables: Set<SQLName> = []
    private var missing: [String] = []
    private var uniqueFindings: [String: InferenceFinding] = [:]

    /// - Precondition: The tables are still those of the old version.
    /// - Throws: `.corrupt` or `.engineFailure`.
    init(migration: InPlaceMigration) throws(StoreError) {
        plan = migration.plan
        connection = migration.connection
        let old = SchemaBuilder(map: plan.oldMap).indexes { _ in false }
        let definitions = Set(old.map(StoredIndex.definition))
        let names = Set(old.map(StoredIndex.name))
        owned = Set(
            try Self.read(connection).filter {
                definitions.contains($0.definition) || names.contains("\($0.name)")
            }.map(\.name.upperText))
        for table in plan.tables {
            guard let oldTable = table.oldTable, try migration.hasTableConstraint(oldTable)
            else { continue }
            constrainedTables.insert(table.newTable)
        }
    }

    /// Drops the indexes that the new version does not have.
    ///
    /// - Parameter map: The tables and columns that the new version has at this point.
    /// - Throws: `.corrupt` or `.engineFailure`.
    func dropUnwanted(_ map: SchemaMap) throws(StoreError) {
        let newJoins = Set(plan.joins.filter { $0.old == nil }.map(\.new.table))
        let builder = SchemaBuilder(map: map)
        noteUniqueness(map)
        var wanted = builder.indexes { newJoins.contains($0.table) }
        wanted.removeAll { statement in
            uniqueFindings[statement] != nil
                && constrainedTables.contains { statement.contains(" ON \($0) (") }
        }
        let names = Set(wanted.map { StoredIndex.name(in: $0) })
        for index in try Self.read(connection) {
            let match = wanted.firstIndex {
                StoredIndex.definition($0) == index.definition
                    && (StoredIndex.name(in: $0) == "\(index.name)"
                        || !index.isUnique && !names.contains("\(index.name)"))
            }
            if let match {
                wanted.remove(at: match)
            } else if owned.contains(index.name.upperText) || names.contains("\(index.name)") {
                try connection.execute("DROP INDEX \(index.name)")
            }
        }
        missing = wanted
    }

    /// Creates the missing indexes.
    ///
    /// - Throws: `.migrationRefused` if objects violate a new uniqueness constraint; `.corrupt` or
    ///   `.engineFailure`.
    func createMissing() throws(StoreError) {
        var findings: [InferenceFinding] = []
        for statement in missing {
            do {
                try connection.execute(statement)
            } catch .engineFailure(let failure) where failure.code & 0xff == Self.constraintError {
                guard let finding = uniqueFindings[statement] else { throw .engineFailure(failure) }
                findings.append(finding)
            }
        }
        guard findings.isEmpty else {
            throw .migrationRefused(connection.location, findings: findings)
        }
    }

    /// `SQLITE_CONSTRAINT`
    private static let constraintError = 19

    private func noteUniqueness(_ map: SchemaMap) {
        for (entity, _) in map.entities.entities {
            guard let table = map.schema(of: entity)?.table else { continue }
            let builder = IndexBuilder(map: map, table: table)
            for properties in entity.description.uniquenessConstraints {
                guard let statement = builder.unique(properties, of: entity) else { continue }
                uniqueFindings[statement] = InferenceFinding(
                    entity.name, properties.count == 1 ? properties[0] : nil,
                    "several objects have the same \(properties.joined(separator: ", ")), which must now"
                        + " be unique; change them with the old version, or remove the constraint")
            }
        }
    }

    private static func read(_ connection: SQLiteConnection) throws(StoreError) -> [StoredIndex] {
        let select = try connection.statement(
            "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
                + " ORDER BY name")
        var indexes: [StoredIndex] = []
        while try select.step() {
            guard let name = select.text(at: 0), let statement = select.text(at: 1) else {
                continue
            }
            indexes.append(StoredIndex(name: SQLName(name), statement: statement))
        }
        return indexes
    }
}
