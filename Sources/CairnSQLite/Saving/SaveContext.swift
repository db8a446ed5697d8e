import CairnModel
import CairnRows
import CairnStore

/// The objects and settings that all steps of one save share.
final class SaveContext {
    let connection: SQLiteConnection
    let schema: FetchSchema
    /// Whether values that cannot be stored exactly are saved anyway.
    let roundsValues: Bool
    let externalData: ExternalDataWriter
    /// The tables of persistent history. `nil` if the store has no history.
    let history: HistoryTables?

    init(
        connection: SQLiteConnection, schema: FetchSchema, roundsValues: Bool,
        externalData: ExternalDataWriter, history: HistoryTables?
    ) {
        self.connection = connection
        self.schema = schema
        self.roundsValues = roundsValues
        self.externalData = externalData
        self.history = history
    }

    /// Returns the table and columns of an entity's rows.
    ///
    /// - Throws: `.unsupported` if the store does not hold the entity.
    func entitySchema(_ number: EntityNumber) throws(StoreError) -> EntitySchema {
        if let found = schema.map.schema(of: number) { return found }
        let name = schema.map.model.entity(numbered: number)?.name ?? "number \(number.rawValue)"
        throw .unsupported(
            schema.location, feature: "no entity \(name)",
            advice: "Save its objects in a store whose configuration includes the entity.")
    }

    /// Returns the rows that are in the store now, by ID.
    ///
    /// - Throws: `.corrupt` or `.engineFailure`.
    func storedRows(_ ids: [ObjectID]) throws(StoreError) -> [ObjectID: Row] {
        let batch = try RowsByKey(schema: schema, connection: connection).rows(for: ids)
        return Dictionary(batch.rows.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
