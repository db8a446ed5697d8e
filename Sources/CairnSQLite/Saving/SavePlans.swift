import CairnModel
import CairnStore

/// What saves of one connection worked out about entities and sets of changed slots, for the next
/// ones: putting the text of an `UPDATE` together costs a third of running it for one row.
final class SavePlans {
    /// The most sets of changed slots that are remembered; an object with many has endless ones.
    private static let mostUpdates = 200

    private var inserts: [EntityNumber: RowInserter.Plan] = [:]
    private var updates: [RowUpdater.Shape: RowUpdater.Plan] = [:]
    // Each save of new objects reserves keys: looking for a statement by its text costs as much as
    // running it.
    /// By the store's number of the root entity, of which there are few.
    private var lastKeys: [(root: Int64, statement: SQLiteStatement)] = []
    private var keyRaise: SQLiteStatement?

    /// - Throws: what `make` throws.
    func insertion(
        of entity: EntityNumber, orMake make: () throws(StoreError) -> RowInserter.Plan
    ) throws(StoreError) -> RowInserter.Plan {
        if let known = inserts[entity] { return known }
        let plan = try make()
        inserts[entity] = plan
        return plan
    }

    /// - Throws: what `make` throws.
    func update(
        of shape: RowUpdater.Shape, orMake make: () throws(StoreError) -> RowUpdater.Plan
    ) throws(StoreError) -> RowUpdater.Plan {
        if let known = updates[shape] { return known }
        let plan = try make()
        if updates.count >= Self.mostUpdates { updates = [:] }
        updates[shape] = plan
        return plan
    }

    /// - Throws: what `make` throws.
    func lastKey(
        ofRoot root: Int64, orMake make: () throws(StoreError) -> SQLiteStatement
    ) throws(StoreError) -> SQLiteStatement {
        for known in lastKeys where known.root == root { return known.statement }
        let statement = try make()
        lastKeys.append((root, statement))
        return statement
    }

    /// - Throws: what `make` throws.
    func raisingKeys(
        orMake make: () throws(StoreError) -> SQLiteStatement
    ) throws(StoreError) -> SQLiteStatement {
        if let keyRaise { return keyRaise }
        let statement = try make()
        keyRaise = statement
        return statement
    }

    /// Lets go of all statements.
    func removeAll() {
        lastKeys = []
        keyRaise = nil
        inserts = [:]
        updates = [:]
    }
}
