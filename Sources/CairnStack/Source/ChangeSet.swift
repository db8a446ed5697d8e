import CairnModel
import CairnRows
import CairnStore

/// The changes of one context's save, over all stores: which objects changed, but not their values.
///
/// Both the coordinator and a parent context accept this type, together with the ``ChangedObjects`` that
/// provide the values. IDs of new objects are temporary, unless permanent IDs were obtained before.
package struct ChangeSet: Sendable {
    /// The new objects, which have not been saved yet.
    package var inserted: [ObjectID] = []
    package var updated: [Update] = []
    package var deleted: [RowDeletion] = []
    /// Changes of many-to-many pairs and of order. Their IDs may be temporary.
    package var pairs: [PairChange] = []
    /// The stores that the program assigned to new objects.
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
