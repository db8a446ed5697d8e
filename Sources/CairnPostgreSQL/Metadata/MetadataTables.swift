import CairnEngineKit
import CairnModel
import CairnModelArchive
import CairnStore
import Foundation

/// Reads the tables in which a store describes itself.
struct MetadataTables {
    /// Everything that opening a store needs to know.
    struct Record {
        var metadata: StoreMetadata
        var entities: [Int16: String] = [:]
        var names = PostgresNames(recorded: [:])
        /// The model that the store was created with, or `nil` if it cannot be read.
        var model: ModelDescription?
        /// See ``StoreSchema/identity``.
        var identity: Int64 = 0
        var keepsHistory = false
        /// Whether the store has numbers of transactions that this server has not given yet, because the store was
        /// copied from another server.
        var isFromElsewhere = false
    }

    let prefix: String
    let location: StoreLocation

    private static let format: Int32 = 1

    /// Reads all tables in one round trip.
    ///
    /// - Throws: `.closed`, `.unsupported` for a later format, `.corrupt`, `.engineFailure`.
    func read(_ pool: PostgresPool) throws(StoreError) -> Record {
        let results = try pool.run(
            [
                // One state for all tables.
                "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
                PostgresStatement(
                    """
                    SELECT format, identifier, model_identifiers, model,
                        (SELECT max(tableoid)::int8 FROM \(prefix)cairn_commits), history,
                        GREATEST(forgotten_change::text::int8,
                            (SELECT save::text::int8 FROM \(prefix)cairn_saves ORDER BY save DESC LIMIT 1),
                            (SELECT save::text::int8 FROM \(prefix)cairn_changes ORDER BY save DESC LIMIT 1),
                            (SELECT max(number) FROM \(prefix)cairn_history) - history)
                        >= pg_snapshot_xmax(pg_current_snapshot())::text::int8
                    FROM \(prefix)cairn_state
                    """),
                PostgresStatement("SELECT number, name, hash FROM \(prefix)cairn_entities"),
                PostgresStatement("SELECT entity, property, role, name FROM \(prefix)cairn_names"),
                PostgresStatement("SELECT name, value FROM \(prefix)cairn_metadata"), "COMMIT",
            ], for: "read metadata")
        let state = results[1]
        guard state.rowCount == 1, let format = state.integer(0, 0, as: Int32.self),
            let identifier = uuid(state.bytes(0, 1))
        else { throw corrupt("cairn_state", "it does not have exactly one row with an identifier") }
        guard format == Self.format else {
            throw .unsupported(
                location, feature: "format \(format)", advice: "Use a later version of Cairn.")
        }
        var record = Record(
            metadata: StoreMetadata(
                identifier: identifier.uuidString, type: PostgreSQLStore.type,
                entityVersionHashes: [:]))
        if case .array(let values) = MetadataValue(bytes: state.bytes(0, 2)) {
            record.metadata.modelVersionIdentifiers = values.compactMap {
                if case .string(let text) = $0 { text } else { nil }
            }
        }
        record.model = try? ModelCache.decode(Array(state.bytes(0, 3)))
        record.identity = state.integer(0, 4) ?? 0
        record.keepsHistory = !state.isNull(0, 5)
        record.isFromElsewhere = state.bytes(0, 6).elementsEqual([1])
        for row in 0..<results[2].rowCount {
            guard let number = results[2].integer(row, 0, as: Int16.self) else {
                throw corrupt("cairn_entities", "an entity has no number")
            }
            let name = results[2].text(row, 1)
            record.entities[number] = name
            record.metadata.entityVersionHashes[name] = VersionHash(results[2].bytes(row, 2))
        }
        record.names = PostgresNames(recorded: names(results[3]))
        for row in 0..<results[4].rowCount {
            let name = results[4].text(row, 0)
            guard let value = MetadataValue(bytes: results[4].bytes(row, 1)) else {
                throw corrupt("cairn_metadata", "the value “\(name)” cannot be read")
            }
            record.metadata.values[name] = value
        }
        return record
    }

    /// Replaces the numbers of another server's transactions, which this one will give again. The order of names is not
    /// known any more, and readers do not know what has changed since before.
    func adoptingServer() -> [PostgresStatement] {
        [
            PostgresStatement("UPDATE \(prefix)cairn_saves SET save = '0'"),
            PostgresStatement("DELETE FROM \(prefix)cairn_changes"),
            PostgresStatement(
                """
                UPDATE \(prefix)cairn_state SET forgotten_change = pg_current_xact_id(),
                    history = GREATEST(history, (SELECT max(number) FROM \(prefix)cairn_history))
                    + CASE WHEN history IS NULL THEN NULL ELSE 0 END
                """),
        ]
    }

    private func names(_ result: PostgresResult) -> [PostgresNames.Key: String] {
        var names: [PostgresNames.Key: String] = [:]
        for row in 0..<result.rowCount {
            guard let role = PostgresNames.Role(rawValue: result.text(row, 2)) else { continue }
            let key = PostgresNames.Key(
                entity: result.text(row, 0), property: result.text(row, 1), role: role)
            names[key] = result.text(row, 3)
        }
        return names
    }

    private func uuid(_ bytes: UnsafeRawBufferPointer) -> UUID? {
        guard bytes.count == 16 else { return nil }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }

    private func corrupt(_ table: String, _ detail: String) -> StoreError {
        .corrupt(location, location: "the table \(table)", detail: detail)
    }
}
