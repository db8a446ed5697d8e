import CairnStore

/// A store that has to be migrated before it can be used without restrictions.
package struct PendingMigration: Sendable {
    package let store: StoreToMigrate
    /// The error for opening the store without migrating it. `nil` if the store can be opened, but does
    /// not accept objects of every entity.
    let mismatch: StoreError?

    /// Whether the store can be used although its migration failed. This is the case if others have the
    /// store open, and it can be opened as well, without the new entities.
    package func canIgnore(_ failure: GraphError) -> Bool {
        if case .store(.locked) = failure { mismatch == nil } else { false }
    }
}
