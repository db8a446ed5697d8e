import CairnModel

/// The objects that differ between two states of a store.
public struct StoreChanges: Sendable, Hashable {
    /// Objects that exist only in the later state.
    public var inserted: [ObjectID]
    /// Objects that exist in both states with different rows. May also contain objects whose rows
    /// are the same.
    public var updated: [ObjectID]
    /// Objects that exist only in the earlier state.
    public var deleted: [ObjectID]

    /// Creates changes. By default, nothing differs.
    public init(
        inserted: [ObjectID] = [], updated: [ObjectID] = [], deleted: [ObjectID] = []
    ) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }
}
