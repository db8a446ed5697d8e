import CairnModel
import CairnStore

/// Brings stores to another version of their model, for coordinators. The graph itself knows nothing
/// of files.
package protocol StoreMigrating: Sendable {
    /// Whether a process is migrating the store, or was killed while it did. Costs one call of the
    /// system.
    func isMigrating(_ location: StoreLocation) -> Bool

    /// Waits until no process migrates the store, and removes what a killed process left.
    ///
    /// - Throws: `.cancelled`, `.readOnly`, `.fileFailure`.
    func waitForMigration(of location: StoreLocation) throws(StoreError)

    /// Migrates stores that do not fit their models, all or none. Has no effect on those that fit.
    ///
    /// - Parameter history: the versions that the program has.
    /// - Throws: `.store`, for the first store that cannot be migrated; all are as they were then.
    func migrate(_ stores: [StoreToMigrate], history: ModelHistory) throws(GraphError)
}
