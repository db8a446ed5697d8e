import CairnModel
import CairnStore

/// Everything that one context's save changes, over all stores.
///
/// IDs of new objects are temporary, or permanent where they were obtained before. The source
/// assigns stores, reserves keys, and then has the rows packed, so a row is packed once.
package struct ChangeSet {
    /// Objects that no store has yet.
    package var inserted: [ObjectID] = []
    package var updated: [Update] = []
    package var deleted: [RowDeletion] = []
    /// Many-to-many pairs and order; IDs in them may be temporary.
    package var pairs: [PairChange] = []
    /// The store of each new object that was given one by hand.
    package var assignments: [ObjectID: StoreNumber] = [:]
    /// Packs the rows of `inserted` and `updated`.
    package var packer: any RowPacking
    /// The name that durable stores record with the save. `nil`: the caller needs none.
    package var id: SaveID?
    package var author: String?
    package var contextName: String?
    /// Tells the caller how far the save has come. `nil` if the caller does not want to know.
    var watch: SaveWatch?
    /// Whether a parent context gets transient values, which are in no row.
    var handsOverTransients = false
    /// Reads the changes as values, for a parent context; nil: they are told by rows and pairs only.
    var handOver: (() throws(GraphError) -> HandedChanges)?

    package init(packer: any RowPacking) {
        self.packer = packer
    }

    /// Whether there is nothing to save.
    var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && pairs.isEmpty
            && !handsOverTransients
    }

    /// How many objects it changes.
    var objectCount: Int { inserted.count + updated.count + deleted.count }

    /// A changed object of a store.
    package struct Update {
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
