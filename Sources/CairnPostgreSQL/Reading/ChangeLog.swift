import CairnModel
import CairnStore

/// The objects that each of the newest saves changed, so that others know which cached rows are outdated.
struct ChangeLog {
    enum Kind: Int16, CaseIterable {
        case insert, update, delete
    }

    let schema: StoreSchema

    /// Returns the statements that add the changes of one save.
    func adding(_ ids: [Kind: [ObjectID]]) -> [PostgresStatement] {
        var statements: [PostgresStatement] = []
        for kind in Kind.allCases {
            let groups = Dictionary(grouping: ids[kind] ?? [], by: \.entity)
            for (entity, ids) in groups.sorted(by: { $0.key < $1.key }) {
                guard let number = schema.number(of: entity) else { continue }
                statements.append(
                    PostgresStatement(
                        "INSERT INTO \(schema.prefix)cairn_changes (kind, entity, keys) VALUES ($1, $2, $3)",
                        [
                            .integer16(kind.rawValue), .integer16(number),
                            .integers(ids.map(\.key)),
                        ]))
            }
        }
        return statements
    }

    /// Returns the objects that differ between an earlier state and that of `run`, or `nil` if the log does not go back
    /// that far.
    ///
    /// Transactions do not commit in the order of their numbers. Therefore what was committed since is what the earlier
    /// state does not show. A save that changes an object which another save has changed has read that save, so the order of the
    /// numbers is that of the changes of each object.
    ///
    /// - Parameter description: the server's description of the earlier state.
    /// - Throws: `.corrupt`; the errors of `run`.
    func changes(
        since description: String,
        _ run: ([PostgresStatement]) throws(StoreError) -> [PostgresResult]
    ) throws(StoreError) -> StoreChanges? {
        let state = PostgresParameter.text(description)
        let results = try run([
            PostgresStatement(
                """
                SELECT 1 FROM \(schema.prefix)cairn_state
                WHERE forgotten_change < pg_snapshot_xmin($1::pg_snapshot)
                """, [state]),
            PostgresStatement(
                """
                SELECT kind, entity, keys FROM \(schema.prefix)cairn_changes
                WHERE save >= pg_snapshot_xmin($1::pg_snapshot)
                    AND NOT pg_visible_in_snapshot(save, $1::pg_snapshot) ORDER BY save, kind
                """, [state]),
        ])
        guard results[0].rowCount == 1 else { return nil }
        var kinds: [ObjectID: Kind] = [:]
        for row in 0..<results[1].rowCount {
            try read(results[1], row, into: &kinds)
        }
        var changes = StoreChanges()
        for (id, kind) in kinds.sorted(by: { $0.key.precedes($1.key) }) {
            switch kind {
            case .insert: changes.inserted.append(id)
            case .update: changes.updated.append(id)
            case .delete: changes.deleted.append(id)
            }
        }
        return changes
    }

    /// Adds the changes of one row to those before it.
    private func read(
        _ result: PostgresResult, _ row: Int, into kinds: inout [ObjectID: Kind]
    ) throws(StoreError) {
        guard let kind = result.integer(row, 0, as: Int16.self).flatMap(Kind.init),
            let number = result.integer(row, 1, as: Int16.self), let keys = result.integers(row, 2)
        else { throw schema.corrupt("cairn_changes", "a change cannot be read") }
        // An entity that the model does not have.
        guard
            let entity = schema.entity(number).flatMap({ schema.layouts.model.entity(numbered: $0) }
            )
        else { return }
        for key in keys {
            let id = ObjectID(
                store: schema.store, rootEntity: entity.rootEntity.number, entity: entity.number,
                key: key)
            switch (kinds[id], kind) {
            case (.insert, .delete): kinds[id] = nil
            case (.insert, _): break
            // A key is used only once, but a copy of another store may bring an object back.
            case (.delete, .insert): kinds[id] = .update
            default: kinds[id] = kind
            }
        }
    }
}
