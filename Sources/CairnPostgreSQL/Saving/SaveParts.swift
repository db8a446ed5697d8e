import CairnEngineKit
import CairnModel
import CairnStore

/// What the parts of a save leave to its commit: what can only be checked when all parts are written, and their
/// transaction in the history.
struct SaveParts {
    private let schema: StoreSchema
    private var missing: [ReferenceChecks.MissingDestination] = []
    private var losses: [Relationship: [ObjectID: Set<ObjectID>]] = [:]
    /// The changes of all parts, or `nil` if the store keeps no history.
    var transaction: PersistentHistoryTransaction?

    init(_ schema: StoreSchema) { self.schema = schema }

    /// Takes over what a part that was written could not decide.
    mutating func take(_ references: ReferenceChecks) {
        missing += references.missing
        losses.merge(references.losses) { owners, others in
            owners.merging(others) { $0.union($1) }
        }
    }

    /// Returns the conflicts of references that remain after all parts.
    func conflicts(_ connection: PostgresConnection) throws(StoreError) -> [ReferenceConflict] {
        var found = ReferenceConflictList()
        try reportRemaining(connection, &found)
        let state = SavedState(schema: schema, connection: connection)
        let destinations = Array(Set(missing.map(\.destination)))
        let present = Set(try state.rows(for: destinations).compactMap(\.self).map(\.id))
        for it in missing where !present.contains(it.destination) {
            found.report(.missing, it.destination, it.inverse, it.member)
        }
        // Later parts may have deleted the owners.
        for (relationship, owners) in losses {
            let present = Set(try state.rows(for: Array(owners.keys)).compactMap(\.self).map(\.id))
            let owners = owners.filter { present.contains($0.key) }
            try ReferenceChecks.reportLosses([relationship: owners], in: state, &found)
        }
        return found.conflicts
    }

    /// Objects that stay must not refer to deleted ones, which the change log has. Those of one-to-one relationships are
    /// never deleted in parts.
    private func reportRemaining(
        _ connection: PostgresConnection, _ found: inout ReferenceConflictList
    ) throws(StoreError) {
        var asked: [(inverse: Relationship, members: PostgresTable, owners: PostgresTable)] = []
        var questions: [PostgresStatement] = []
        for reference in schema.references
        where !reference.isOneToOne && reference.inverse.deleteRule != .noAction {
            guard let members = schema.table(of: reference.relationship.entity),
                let owners = schema.table(of: reference.inverse.entity)
            else { continue }
            let entities = schema.list(of: reference.inverse.entity.hierarchyNumbers.map { $0 })
            asked.append((reference.inverse, members, owners))
            questions.append(
                PostgresStatement(
                    """
                    SELECT m._key, m._entity, d.key, d.entity FROM (
                        SELECT entity, unnest(keys) AS key FROM \(schema.prefix)cairn_changes
                        WHERE save = pg_current_xact_id() AND kind = \(ChangeLog.Kind.delete.rawValue)
                            AND entity IN (\(entities))) AS d
                    JOIN \(members.name) AS m ON m.\(reference.column.name) = d.key
                    """))
        }
        for (it, result) in zip(asked, try connection.run(questions, for: "commit")) {
            for row in 0..<result.rowCount {
                found.report(
                    .deleted, try PostgresRowReader.id(result, row, of: it.owners, schema, at: 2),
                    it.inverse, try PostgresRowReader.id(result, row, of: it.members, schema, at: 0)
                )
            }
        }
    }
}
