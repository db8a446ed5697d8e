import CairnStore

/// A store that has to be migrated before it can be used in full.
struct PendingMigration: Sendable {
    /// The store.
    let store: StoreToMigrate
    /// Why the store cannot be opened as it is. `nil` if it can be, but cannot take objects of every
    /// entity.
    let mismatch: StoreError?

    /// Whether the store can be used although its migration failed: others have it open, and it can be
    /// opened beside them, without the new entities.
    func canDoWithout(_ failure: GraphError) -> Bool {
        if case .store(.locked) = failure { mismatch == nil } else { false }
    }
}
