import CairnModel
import CairnRows
import CairnStore

/// Plans and statements that later saves on the same connection reuse. Building the text of an
/// `UPDATE` costs a third of running it for one row.
final class SavePlans {
    /// The maximum number of remembered update plans. The changed slots of an entity with many
    /// properties can differ in countless ways.
    private static let mostUpdates = 200

    private var inserts: [EntityNumber: RowInserter.Plan] = [:]
    private var updates: [RowUpdater.Shape: RowUpdater.Plan] = [:]
    // Each save of new objects reserves keys, and finding a statement by its text costs as much as
    // running it.
    /// The statements by the store's number of the root entity, of which there are only a few.
    private var lastKeys: [(root: Int64, statement: SQLiteStatement)] = []
    private var keyRaise: SQLiteStatement?

    /// - Throws: The errors of `make`.
    func insertion(
        of entity: EntityNumber, orMake make: () throws(StoreError) -> RowInserter.Plan
    ) throws(StoreError) -> RowInserter.Plan {
        if let known = inserts[entity] { return known }
        let plan = try make()
        inserts[entity] = plan
        return plan
    }

    /// - Throws: The errors of `make`.
    func update(
        of shape: RowUpdater.Shape, orMake make: () throws(StoreError) -> RowUpdater.Plan
    ) throws(StoreError) -> RowUpdater.Plan {
        if let known = updates[shape] { return known }
        let plan = try make()
        if updates.count >= Self.mostUpdates { updates = [:] }
        updates[shape] = plan
        return plan
    }

    /// - Throws: The errors of `make`.
    func lastKey(
        ofRoot root: Int64, orMake make: () throws(StoreError) -> SQLiteStatement
    ) throws(StoreError) -> SQLiteStatement {
        for known in lastKeys where known.root == root { return known.statement }
        let statement = try make()
        lastKeys.append((root, statement))
        return statement
    }

    /// - Throws: The errors of `make`.
    func raisingKeys(
        orMake make: () throws(StoreError) -> SQLiteStatement
    ) throws(StoreError) -> SQLiteStatement {
        if let keyRaise { return keyRaise }
        let statement = try make()
        keyRaise = statement
        return statement
    }

    /// Releases all plans and statements.
    func removeAll() {
        lastKeys = []
        keyRaise = nil
        inserts = [:]
        updates = [:]
    }
}

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
