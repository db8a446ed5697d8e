import CairnModel
import Foundation

/// Checks with plain SQL that a database has the form of Core Data's stores.
///
/// The naming rules are implemented independently of the engine, so that the check can detect the engine's
/// errors.
package struct CoreDataStoreCheck {
    package let sql: PlainSQL
    let model: ManagedObjectModel

    /// Creates a check.
    ///
    /// - Parameter model: The model with which the store was last saved.
    package init(sql: PlainSQL, model: ManagedObjectModel) {
        self.sql = sql
        self.model = model
    }

    /// Returns descriptions of all problems found. Empty for a sound store.
    package func problems() throws -> [String] {
        var problems = try sql.rows("PRAGMA integrity_check").compactMap { row in
            row.first?.text == "ok" ? nil : "integrity: \(row)"
        }
        problems += try primaryKeyProblems()
        problems += try rowProblems()
        problems += try referenceProblems()
        problems += try joinTableProblems()
        problems += try metadataProblems()
        return problems
    }

    /// Returns the statements that create the tables, indexes and triggers.
    package func schema() throws -> [String] {
        try sql.rows("SELECT type, name, sql FROM sqlite_master ORDER BY type, name")
            .map { "\($0)" }
    }

    // MARK: Bookkeeping

    private struct StoredEntity {
        let number: Int64
        let name: String
        let superentity: Int64
        let highestKey: Int64
    }

    private func storedEntities() throws -> [StoredEntity] {
        try sql.rows("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT < 16000")
            .map {
                StoredEntity(
                    number: $0[0].integer ?? -1, name: $0[1].text ?? "",
                    superentity: $0[2].integer ?? -1, highestKey: $0[3].integer ?? -1)
            }
    }

    private func primaryKeyProblems() throws -> [String] {
        var problems: [String] = []
        let stored = try storedEntities()
        if stored.count != model.entities.count {
            problems.append("Z_PRIMARYKEY has \(stored.count) entities of \(model.entities.count)")
        }
        for entity in stored where entity.superentity == 0 {
            let table = Self.table(entity.name)
            let highest = try sql.rows("SELECT MAX(Z_PK) FROM \(table)")[0][0].integer ?? 0
            if highest > entity.highestKey {
                problems.append("\(table) has key \(highest), Z_MAX is \(entity.highestKey)")
            }
        }
        for entity in stored where entity.superentity != 0 && entity.highestKey != 0 {
            problems.append("Z_MAX of the subentity \(entity.name) is \(entity.highestKey)")
        }
        return problems
    }

    private func rowProblems() throws -> [String] {
        let stored = try storedEntities()
        return try stored.filter { $0.superentity == 0 }.flatMap { root -> [String] in
            let members = Self.hierarchy(of: root, in: stored).map { "\($0.number)" }
            let table = Self.table(root.name)
            let strange = try sql.integer(
                "SELECT COUNT(*) FROM \(table) WHERE Z_ENT IS NULL OR Z_ENT NOT IN "
                    + "(\(members.joined(separator: ",")))")
            let unversioned = try sql.integer(
                "SELECT COUNT(*) FROM \(table) WHERE Z_OPT IS NULL OR Z_OPT < 1")
            return (strange == 0 ? [] : ["\(strange) rows of \(table) with a strange Z_ENT"])
                + (unversioned == 0 ? [] : ["\(unversioned) rows of \(table) without Z_OPT"])
        }
    }

    private static func hierarchy(
        of root: StoredEntity, in all: [StoredEntity]
    ) -> [StoredEntity] {
        [root]
            + all.filter { $0.superentity == root.number }.flatMap { hierarchy(of: $0, in: all) }
    }

    private func metadataProblems() throws -> [String] {
        let rows = try sql.rows("SELECT Z_VERSION, Z_UUID, Z_PLIST FROM Z_METADATA")
        guard rows.count == 1, let plist = rows[0][2].blob else {
            return ["Z_METADATA has \(rows.count) rows, or no plist"]
        }
        let decoded = try PropertyListSerialization.propertyList(from: plist, format: nil)
        guard let metadata = decoded as? [String: Any],
            let hashes = metadata["NSStoreModelVersionHashes"] as? [String: Data]
        else { return ["Z_PLIST has no NSStoreModelVersionHashes"] }
        return Set(hashes.keys) == Set(model.entities.map(\.name))
            ? [] : ["Z_PLIST records \(hashes.keys.sorted())"]
    }

    // MARK: References

    private func referenceProblems() throws -> [String] {
        try model.entities.flatMap { entity in
            try entity.relationships
                .filter { !$0.isToMany && !$0.isTransient && $0.entity == entity }
                .flatMap { try referenceProblems($0) }
        }
    }

    /// Checks that to-one relationships lead to existing rows, and that their entity columns contain those
    /// rows' entities.
    private func referenceProblems(_ relationship: Relationship) throws -> [String] {
        let table = try storedTable(of: relationship.entity)
        let name = "Z\(relationship.name.uppercased())"
        let columns = try columns(of: table)
        guard columns.contains(name) else { return [] }
        let column = Self.quoted(name)
        let target = try storedTable(of: relationship.destination)
        var problems: [String] = []
        let dangling = try sql.integer(
            "SELECT COUNT(*) FROM \(table) s WHERE s.\(column) IS NOT NULL "
                + "AND NOT EXISTS (SELECT 1 FROM \(target) t WHERE t.Z_PK = s.\(column))")
        if dangling != 0 { problems.append("\(dangling) dangling \(table).\(column)") }
        let suffix = "_\(relationship.name.uppercased())"
        for entityColumn in columns
        where entityColumn.hasSuffix(suffix)
            && Int(entityColumn.dropFirst().dropLast(suffix.count)) != nil
        {
            let wrong = try sql.integer(
                "SELECT COUNT(*) FROM \(table) s JOIN \(target) t ON t.Z_PK = s.\(column) "
                    + "WHERE s.\(Self.quoted(entityColumn)) IS NOT t.Z_ENT")
            if wrong != 0 { problems.append("\(wrong) wrong \(table).\(entityColumn)") }
        }
        return problems
    }

    /// Checks that both columns of each join table lead to existing rows.
    private func joinTableProblems() throws -> [String] {
        let stored = try storedEntities()
        let names = try sql.rows(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'")
        return try names.compactMap { $0[0].text }.flatMap { table -> [String] in
            let columns = try columns(of: Self.quoted(table)).prefix(2)
            // Both columns of a relationship that is its own inverse lead to the same entity.
            let names = columns.map { $0 == "REFLEXIVE" ? columns[0] : $0 }
            return try zip(columns, names).flatMap { column, name -> [String] in
                let digits = name.dropFirst(2).prefix { $0.isNumber }
                guard let entity = stored.first(where: { String($0.number) == digits }) else {
                    return ["\(table).\(column) names no entity"]
                }
                let target = Self.table(Self.root(of: entity, in: stored).name)
                let dangling = try sql.integer(
                    "SELECT COUNT(*) FROM \(Self.quoted(table)) s WHERE NOT EXISTS "
                        + "(SELECT 1 FROM \(target) t WHERE t.Z_PK = s.\(Self.quoted(column)))")
                return dangling == 0 ? [] : ["\(dangling) dangling \(table).\(column)"]
            }
        }
    }

    private func columns(of table: String) throws -> [String] {
        try sql.rows("PRAGMA table_info(\(table))").compactMap { $0[1].text }
    }

    private func storedTable(of entity: Entity) throws -> String {
        let stored = try storedEntities()
        // The former name is tried last, because another entity may have it now.
        guard
            let found = stored.first(where: { $0.name == entity.name })
                ?? stored.first(where: { $0.name == entity.renamingIdentifier })
        else {
            throw PlainSQL.Failure(description: "Z_PRIMARYKEY does not name \(entity.name)")
        }
        return Self.table(Self.root(of: found, in: stored).name)
    }

    private static func root(of entity: StoredEntity, in all: [StoredEntity]) -> StoredEntity {
        all.first { $0.number == entity.superentity }.map { root(of: $0, in: all) } ?? entity
    }

    private static func table(_ name: String) -> String { quoted("Z\(name.uppercased())") }

    private static func quoted(_ name: String) -> String {
        "\"" + name.replacing("\"", with: "\"\"") + "\""
    }
}
