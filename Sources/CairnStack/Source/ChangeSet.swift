import CairnModel
import CairnRows
import CairnStore

/// The changes of one context's save, over all stores: which objects changed, but not their values.
///
/// Both the coordinator and a parent context accept this type, together with the ``ChangedObjects`` that
/// provide the values. IDs of new objects are temporary, unless permanent IDs were obtained before.
package struct ChangeSet: Sendable {
    /// The new objects, which have not been saved yet, and the objects that move to another store, with the IDs
    /// that they have now. The latter are also in ``deleted``.
    package var inserted: [ObjectID] = []
    package var updated: [Update] = []
    package var deleted: [RowDeletion] = []
    /// Changes of many-to-many pairs and of order. Their IDs may be temporary.
    package var pairs: [PairChange] = []
    /// The stores that the program assigned to new objects, and those to which others move.
    package var assignments: [ObjectID: StoreNumber] = [:]
    /// The name that durable stores record with the save. `nil` if the caller did not name the save.
    package var id: SaveID?
    package var author: String?
    package var contextName: String?
    /// Reports the progress of the save to the caller. `nil` if the caller did not ask for it.
    package var watch: SaveWatch?
    /// Whether the objects have transient values. Only a parent context accepts them, because rows do not
    /// contain them.
    package var hasTransientValues = false

    package init() {}

    /// Whether the change set is empty, so that there is nothing to save.
    package var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && pairs.isEmpty
            && !hasTransientValues
    }

    /// The number of objects that the save changes.
    package var objectCount: Int { inserted.count + updated.count + deleted.count }

    package var counts: Counts {
        Counts(inserted: inserted.count, updated: updated.count, deleted: deleted.count)
    }

    /// How many objects a save inserts, updates and deletes.
    package struct Counts: Sendable {
        package var inserted = 0
        package var updated = 0
        package var deleted = 0

        package var total: Int { inserted + updated + deleted }

        package static func + (left: Counts, right: Counts) -> Counts {
            Counts(
                inserted: left.inserted + right.inserted, updated: left.updated + right.updated,
                deleted: left.deleted + right.deleted)
        }
    }

    /// A changed object of a store.
    package struct Update: Sendable {
        package var id: ObjectID
        package var previousVersion: Int64
        package var changedSlots: SlotSet

        package init(id: ObjectID, previousVersion: Int64, changedSlots: SlotSet) {
            self.id = id
            self.previousVersion = previousVersion
            self.changedSlots = changedSlots
        }
    }
}

/// The objects of a change set with their values, as rows for stores.
package protocol ChangedObjects {
    /// Adds the row of one object to the writer. The source calls this when it knows the key, so that
    /// each row is packed only once.
    ///
    /// - Parameters:
    ///   - id: The ID of an inserted or updated object of the change set.
    ///   - key: The row's key.
    ///   - version: The row's version.
    ///   - permanent: Returns the permanent ID for the ID of a to-one relationship's destination. It must
    ///     be called for every destination, even if its ID is permanent, because it also records
    ///     destinations in other stores.
    func pack(
        _ id: ObjectID, key: Int64, version: Int64, into writer: inout RowWriter,
        resolving permanent: (ObjectID) -> ObjectID
    ) throws(GraphError)
}

/// The result of a save, to be adopted by the context.
package struct SaveResult {
    /// The permanent ID of each object that had a temporary one or moved to another store.
    package var permanentIDs: IDReplacements
    /// The inserted and updated rows in their stored state.
    package var rows: RowBatch
    /// The interruption, if the save has taken place but a store could not be written yet.
    package var pending: InterruptedSave?

    package init(
        permanentIDs: IDReplacements, rows: RowBatch, pending: InterruptedSave? = nil
    ) {
        self.permanentIDs = permanentIDs
        self.rows = rows
        self.pending = pending
    }

    /// The result of a save without changes.
    package static let nothing = SaveResult(permanentIDs: IDReplacements(), rows: RowBatch())
}
