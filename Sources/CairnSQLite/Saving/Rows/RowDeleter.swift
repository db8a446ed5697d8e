import CairnModel
import CairnSQL
import CairnStore

/// Deletes rows that have the expected version, together with their pairs.
struct RowDeleter {
    private struct Plan {
        let statement: SQLiteStatement
        let references: SQLiteStatement?
        /// One statement for each table that holds pairs of the entity.
        let pairs: [SQLiteStatement]
    }

    let save: SaveContext
    private var plans: [EntityNumber: Plan] = [:]
    /// The deletions of rows that have another version or do not exist.
    private(set) var conflicts: [RowDeletion] = []

    init(_ save: SaveContext) { self.save = save }

    /// - Throws: `.unsupported`, `.cancelled`, `.corrupt`, `.engineFailure`.
    mutating func delete(
        _ deletions: [RowDeletion], reporter: SaveReporter?
    ) throws(StoreError) {
        for deletion in deletions {
            try delete(deletion)
            try reporter?.wrote()
        }
    }

    private mutating func delete(_ deletion: RowDeletion) throws(StoreError) {
        let plan = try plan(for: deletion.id.entity)
        let key = deletion.id.key
        let obsolete = try plan.references?.externalNames(ofKey: key) ?? []
        try plan.statement.bind(key, at: 1)
        try plan.statement.bind(deletion.previousVersion, at: 2)
        try plan.statement.run()
        guard save.connection.changedRowCount > 0 else {
            conflicts.append(deletion)
            return
        }
        for name in obsolete { save.externalData.abandon(name) }
        for statement in plan.pairs {
            try statement.bind(key, at: 1)
            try statement.run()
        }
    }

    private mutating func plan(for entity: EntityNumber) throws(StoreError) -> Plan {
        if let plan = plans[entity] { return plan }
        let schema = try save.entitySchema(entity)
        // The ID may only name a superentity, so the external values of all subentities are
        // included.
        let slots = schema.entity.hierarchy.flatMap { below in
            save.schema.map.schema(of: below)?.slots ?? []
        }
        var pairs: [SQLiteStatement] = []
        for pair in pairColumns(of: schema.entity) {
            pairs.append(
                try save.connection.statement(
                    (pair.isInMembersRow
                        ? "UPDATE \(pair.table) SET \(pair.column) = NULL"
                        : "DELETE FROM \(pair.table)") + " WHERE \(pair.column) = ?"))
        }
        let plan = Plan(
            statement: try save.connection.statement(
                "DELETE FROM \(schema.table) WHERE Z_PK = ? AND \(StoredVersion.column) = ?"),
            references: try schema.referencesStatement(among: slots, on: save.connection),
            pairs: pairs)
        plans[entity] = plan
        return plan
    }

    /// Returns the columns of pairs that may contain a key of the entity, or of an entity below it.
    private func pairColumns(of entity: Entity) -> Set<PairColumn> {
        var columns: Set<PairColumn> = []
        let model = save.schema.map.model
        for relationship in model.entities.flatMap(\.ownRelationships) {
            guard let join = save.schema.map.joinTable(of: relationship) else { continue }
            if entity.isRelated(to: relationship.entity) {
                columns.insert(
                    PairColumn(
                        table: join.table, column: join.ownerColumn,
                        isInMembersRow: join.isMembersTable))
            }
            // If pairs are stored in the members' rows, deleting a member deletes its pair.
            if !join.isMembersTable, entity.isRelated(to: relationship.destination) {
                columns.insert(PairColumn(table: join.table, column: join.memberColumn))
            }
        }
        return columns
    }

    private struct PairColumn: Hashable {
        var table: SQLName
        var column: SQLName
        /// Whether the pair is a value in the member's row, which must be kept.
        var isInMembersRow = false
    }
}

extension Entity {
    /// Whether an object of one entity can also be an object of the other.
    fileprivate func isRelated(to other: Entity) -> Bool {
        isKind(of: other) || other.isKind(of: self)
    }
}
