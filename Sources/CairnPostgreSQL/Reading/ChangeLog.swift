import CairnModel
import CairnStore

/// The objects that each of the newest saves changed, so that others know which cached rows are outdated.
struct ChangeLog {
    enum Kind: Int16, CaseIterable {
        case insert, update, delete
    }

    /// How many generations are kept at least.
    private static let capacity: Int64 = 4096

    let schema: StoreSchema

    /// Returns the statements that add the changes of one save, which creates the generation.
    func adding(_ ids: [Kind: [ObjectID]], generation: Int64) -> [PostgresStatement] {
        var statements: [PostgresStatement] = []
        for kind in Kind.allCases {
            let groups = Dictionary(grouping: ids[kind] ?? [], by: \.entity)
            for (entity, ids) in groups.sorted(by: { $0.key < $1.key }) {
                guard let number = schema.number(of: entity) else { continue }
                statements.append(
                    PostgresStatement(
                        "INSERT INTO \(schema.prefix)cairn_changes VALUES ($1, $2, $3, $4)",
                        [
                            .integer(generation), .integer16(kind.rawValue), .integer16(number),
                            .integers(ids.map(\.key)),
                        ]))
            }
        }
        // Rarely, because it takes as long as a small save.
        if generation % 256 == 0, generation > Self.capacity {
            let oldest = PostgresParameter.integer(generation - Self.capacity)
            statements += [
                PostgresStatement(
                    "DELETE FROM \(schema.prefix)cairn_changes WHERE generation < $1", [oldest]),
                PostgresStatement(
                    "UPDATE \(schema.prefix)cairn_state SET oldest_change = $1", [oldest]),
            ]
        }
        return statements
    }

    /// Returns the objects that differ between two states, or `nil` if the log does not go back that far.
    ///
    /// - Throws: `.corrupt`; the errors of `run`.
    func changes(
        since old: StoreGeneration, upTo new: StoreGeneration,
        _ run: ([PostgresStatement]) throws(StoreError) -> [PostgresResult]
    ) throws(StoreError) -> StoreChanges? {
        guard old <= new, let since = Int64(exactly: old.rawValue) else { return nil }
        let results = try run([
            PostgresStatement("SELECT oldest_change FROM \(schema.prefix)cairn_state"),
            PostgresStatement(
                """
                SELECT kind, entity, keys FROM \(schema.prefix)cairn_changes WHERE generation > $1
                ORDER BY generation, kind
                """, [.integer(since)]),
        ])
        guard let oldest = results[0].integer(0, 0, as: Int64.self), oldest <= since + 1 else {
            return nil
        }
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
