import CairnModel
import CairnStore

/// The changes that a child context's save passes to its parent, as values without references to the
/// child.
package struct ChildChanges: Sendable {
    /// A new or changed object, with the values that it has in the child.
    package struct Changed: Sendable {
        package let id: ObjectID
        package let row: Row
        /// The row that the child changed. `nil` if the object is new.
        package let base: Row?
        package let slots: RowSlotSet
        /// The slots that have the initial values of the class of a new object.
        package var initialSlots: [RowSlot] = []
    }

    package struct Deleted: Sendable {
        package let id: ObjectID
        package let base: Row?
    }

    /// Changes of a to-many relationship that cannot be derived from the rows of its members.
    package struct Members: Sendable {
        package let owner: ObjectID
        package let relationship: Relationship
        package let added: [ObjectID]
        package let removed: [ObjectID]
        /// All members in order. `nil` if the relationship is unordered.
        package let order: [ObjectID]?
    }

    /// The transient values of an object that differ from the values of a new object.
    package struct Transients: Sendable {
        package let id: ObjectID
        package let values: [(slot: ObjectSlot, value: Value)]
    }

    package var inserted: [Changed] = []
    package var updated: [Changed] = []
    package var deleted: [Deleted] = []
    package var members: [Members] = []
    package var transients: [Transients] = []
    package var assignments: [ObjectID: StoreNumber] = [:]

    /// The rows of the new and changed objects.
    package var rows: RowBatch { RowBatch((inserted + updated).lazy.map(\.row)) }

    package init() {}
}
