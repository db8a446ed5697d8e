import CairnModel
import CairnSQL
import CairnStore

/// Checks whether a store's contents beyond the model allow the plan to be carried out.
struct StoreSuitability {
    let migration: InPlaceMigration

    private var plan: InPlacePlan { migration.plan }

    func isSuitable() throws(StoreError) -> Bool {
        guard try listsOnlyKnownEntities(), try hasOnlyKnownTriggers() else { return false }
        for table in plan.tables {
            guard try keepsTableConstraints(table) else { return false }
        }
        return try keepsTombstones()
    }

    private func listsOnlyKnownEntities() throws(StoreError) -> Bool {
        let listed = try PrimaryKeyTable(connection: migration.connection).readEntities()
        return listed.allSatisfy { entity in
            entity.number >= StoreEntities.firstReservedNumber
                || plan.pairs.old.entityNumber(forStoreNumber: entity.number) != nil
        }
    }

    /// Returns whether all triggers of derived attributes are known. Their text contains names and
    /// numbers, so they have to be dropped, and only known triggers can be created again.
    private func hasOnlyKnownTriggers() throws(StoreError) -> Bool {
        let known = Set(TriggerMigration.names(of: plan.oldMap))
        let select = try migration.connection.statement(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name GLOB 'Z_DA_*'")
        defer { select.reset() }
        while try select.step() {
            guard let name = select.text(at: 0), known.contains("\(SQLName(name))") else {
                return false
            }
        }
        return true
    }

    /// Returns whether the table keeps its `UNIQUE` constraints. Before framework version 836, Core
    /// Data declared uniqueness as a table constraint, which SQLite cannot remove.
    private func keepsTableConstraints(_ table: TablePlan) throws(StoreError) -> Bool {
        guard let oldTable = table.oldTable, let oldRoot = plan.pairs.oldRoot(of: table.root),
            try migration.hasTableConstraint(oldTable)
        else { return true }
        let before = oldRoot.hierarchy.map(\.description.uniquenessConstraints)
        let after = table.root.hierarchy.map(\.description.uniquenessConstraints)
        return table.dropped.isEmpty && table.renamed.isEmpty && before == after
    }

    /// Returns whether recorded tombstones stay valid. The values of deleted objects are stored in
    /// numbered columns, one for each attribute that is preserved.
    private func keepsTombstones() throws(StoreError) -> Bool {
        let columns = migration.catalog.columns(of: HistoryTables.change)
            .filter { $0.isNumber(between: "ZTOMBSTONE", and: "") }
        guard !columns.isEmpty else { return true }
        let hasValue = columns.map { "\(SQLName($0)) IS NOT NULL" }.joined(separator: " OR ")
        for (old, number) in plan.pairs.old.entities {
            guard let new = plan.pairs.new(of: old), old.preservedNames != new.preservedNames
            else { continue }
            let select = try migration.connection.statement(
                "SELECT 1 FROM \(HistoryTables.change) WHERE ZENTITY = \(number)"
                    + " AND (\(hasValue)) LIMIT 1")
            defer { select.reset() }
            if try select.step() { return false }
        }
        return true
    }
}

extension InPlaceMigration {
    /// Whether the table was created with a `UNIQUE` constraint.
    func hasTableConstraint(_ table: SQLName) throws(StoreError) -> Bool {
        let select = try connection.statement(
            "SELECT 1 FROM pragma_index_list(?) WHERE origin = 'u'")
        try select.bind(table.text, at: 1)
        defer { select.reset() }
        return try select.step()
    }
}

extension Entity {
    /// The names of the attributes whose values the history preserves when an object is deleted.
    var preservedNames: [String] {
        attributes.filter(\.description.preservesValueInHistoryOnDeletion).map(\.name).sorted()
    }
}
