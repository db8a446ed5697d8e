import CairnModel
import CairnStore

/// Drops the triggers and R-trees of the old version and creates those of the new version.
///
/// Triggers of counts are always recreated, because their text contains names, and because they
/// must not run while values move. R-trees are recreated only if any of them changes, because that
/// reads their table.
struct TriggerMigration {
    let migration: InPlaceMigration

    private var connection: SQLiteConnection { migration.connection }

    private var keepsRTrees: Bool {
        let old = SchemaBuilder(map: migration.plan.oldMap).rTrees
        return old == SchemaBuilder(map: migration.plan.newMap).rTrees
    }

    /// Returns the names of the triggers of counts, as they appear in SQL.
    static func names(of map: SchemaMap) -> [String] {
        DerivationTriggers(map: map).statements().compactMap { name(in: $0) }
    }

    /// - Throws: `.engineFailure`.
    func drop() throws(StoreError) {
        let old = migration.plan.oldMap
        for name in Self.names(of: old) {
            try connection.execute("DROP TRIGGER IF EXISTS \(name)")
        }
        let trees = SchemaBuilder(map: old).rTrees
        guard !trees.isEmpty else { return }
        // Rows are changed while the triggers of kept R-trees are active.
        try connection.execute("PRAGMA trusted_schema = ON")
        guard !keepsRTrees else { return }
        for statement in trees.reversed() {
            guard let name = Self.name(in: statement) else { continue }
            let kind = statement.hasPrefix("CREATE TRIGGER ") ? "TRIGGER" : "TABLE"
            try connection.execute("DROP \(kind) IF EXISTS \(name)")
        }
    }

    /// - Parameter map: The tables and columns that the new version has at this point.
    /// - Throws: `.engineFailure`.
    func create(_ map: SchemaMap) throws(StoreError) {
        for statement in DerivationTriggers(map: map).statements() {
            try connection.execute(statement)
        }
        guard !keepsRTrees else { return }
        for (entity, _) in map.entities.entities {
            guard let table = map.schema(of: entity)?.table else { continue }
            for index in entity.description.fetchIndexes
            where index.elements.contains(where: { $0.type == .rTree }) {
                guard let tree = RTreeIndex(index, of: entity, map: map, table: table) else {
                    continue
                }
                for statement in tree.statements { try connection.execute(statement) }
                try connection.execute(tree.filling)
            }
        }
    }

    /// Returns the name in a statement that creates a trigger or an R-tree, as it appears in SQL.
    private static func name(in statement: String) -> String? {
        for (start, end) in [("CREATE TRIGGER ", " AFTER "), ("CREATE VIRTUAL TABLE ", " USING ")]
        where statement.hasPrefix(start) {
            guard let range = statement.range(of: end) else { return nil }
            return String(statement[..<range.lowerBound].dropFirst(start.count))
        }
        return nil
    }
}
