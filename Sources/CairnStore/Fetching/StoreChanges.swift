import CairnModel

/// Which objects differ between two states of a store.
public struct StoreChanges: Sendable, Hashable {
    /// Objects that the later state has and the earlier one has not.
    public var inserted: [ObjectID]
    /// Objects that both states have, with different rows. An object whose row is the same may be
    /// among them.
    public var updated: [ObjectID]
    /// Objects that the earlier state has and the later one has not.
    public var deleted: [ObjectID]

    /// By default nothing differs.
    public init(
        inserted: [ObjectID] = [], updated: [ObjectID] = [], deleted: [ObjectID] = []
    ) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }
}
