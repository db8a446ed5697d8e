import CairnModel
import CairnSQL
import CairnStore

/// Deletes the rows of removed entities from tables that are kept, and the references to these
/// rows.
///
/// Runs on the old tables, with the old entity numbers.
struct RemovedRows {
    let migration: InPlaceMigration

    private var plan: InPlacePlan { migration.plan }
    private var connection: SQLiteConnection { migration.connection }

    /// - Throws: `.engineFailure`.
    func run() throws(StoreError) {
        for table in plan.tables where !table.removed.isEmpty {
            guard let old = table.oldTable, let root = plan.pairs.oldRoot(of: table.root) else {
                continue
            }
            let numbers = table.removed.map(String.init).joined(separator: ", ")
            let keys = "(SELECT Z_PK FROM \(old) WHERE Z_ENT IN (\(numbers)))"
            try removeReferences(to: root, keys)
            try removePairs(of: root, keys)
            try connection.execute("DELETE FROM \(old) WHERE Z_ENT IN (\(numbers))")
        }
        for join in plan.droppedJoins { try connection.execute("DROP TABLE \(join.table)") }
        for table in plan.droppedTables { try connection.execute("DROP TABLE \(table)") }
    }

    /// Returns the to-one relationships, in tables that are kept, that may refer to an object in
    /// the root's hierarchy.
    private func references(to root: Entity) -> [(relationship: Relationship, column: SlotColumn)] {
        plan.pairs.old.entities.flatMap(\.entity.ownRelationships).compactMap { relationship in
            guard !relationship.isToMany, relationship.destination.rootEntity == root,
                plan.pairs.newRoot(of: relationship.entity.rootEntity) != nil,
                let column = plan.oldMap.column(of: relationship)
            else { return nil }
            return (relationship, column)
        }
    }

    private func removeReferences(to root: Entity, _ keys: String) throws(StoreError) {
        for (relationship, column) in references(to: root) {
            guard case .toOne(let key, let entity, let order) = column.form,
                let table = plan.oldMap.schema(of: relationship.entity)?.table
            else { continue }
            let cleared = [key, entity, order].compactMap(\.self).map { "\($0) = NULL" }
            try connection.execute(
                "UPDATE \(table) SET \(cleared.joined(separator: ", ")) WHERE \(key) IN \(keys)")
        }
    }

    private func removePairs(of root: Entity, _ keys: String) throws(StoreError) {
        for plan in plan.joins {
            guard let join = plan.old, let old = self.plan.relationships[plan.relationship] else {
                continue
            }
            if old.entity.rootEntity == root {
                try removePairs(join, join.ownerColumn, keys)
            }
            if old.destination.rootEntity == root, !join.isMembersTable {
                try removePairs(join, join.memberColumn, keys)
            }
        }
    }

    private func removePairs(
        _ join: JoinTable, _ column: SQLName, _ keys: String
    ) throws(StoreError) {
        if join.isMembersTable {
            try connection.execute(
                "UPDATE \(join.table) SET \(column) = NULL WHERE \(column) IN \(keys)")
        } else {
            try connection.execute("DELETE FROM \(join.table) WHERE \(column) IN \(keys)")
        }
    }
}
