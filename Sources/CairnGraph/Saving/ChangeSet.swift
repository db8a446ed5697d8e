import CairnModel
import CairnStore

/// Everything that one context's save changes, over all stores: which objects, but not their values.
///
/// A value that the coordinator and a parent context take alike, together with the ``ChangedObjects`` that
/// have the values. IDs of new objects are temporary, or permanent if they were obtained before.
package struct ChangeSet: Sendable {
    /// Objects that no store has yet.
    package var inserted: [ObjectID] = []
    package var updated: [Update] = []
    package var deleted: [RowDeletion] = []
    /// Many-to-many pairs and order; IDs in them may be temporary.
    package var pairs: [PairChange] = []
    /// The store of each new object that was given one by hand.
    package var assignments: [ObjectID: StoreNumber] = [:]
    /// The name that durable stores record with the save. `nil` if the caller did not name the save.
    package var id: SaveID?
    package var author: String?
    package var contextName: String?
    /// Tells the caller how far the save has come. `nil` if the caller does not want to know.
    var watch: SaveWatch?
    /// Whether the objects have transient values that only a parent context takes, because they are in no
    /// row.
    var hasTransientValues = false

    package init() {}

    /// Whether there is nothing to save.
    var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && pairs.isEmpty
            && !hasTransientValues
    }

    /// How many objects it changes.
    var objectCount: Int { inserted.count + updated.count + deleted.count }

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
