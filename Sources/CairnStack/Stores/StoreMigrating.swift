import CairnModel
import CairnStore

/// Migrates the stores of coordinators to another version of their model. The graph module itself does
/// not depend on files.
package protocol StoreMigrating: Sendable {
    /// Whether a process is migrating the store, or was killed while migrating it. Costs one system
    /// call.
    func isMigrating(_ location: StoreLocation) -> Bool

    /// Waits until no process is migrating the store, and removes what a killed process left.
    ///
    /// - Throws: `.cancelled`, `.readOnly`, `.fileFailure`.
    func waitForMigration(of location: StoreLocation) throws(StoreError)

    /// Migrates stores that do not fit their models. Migrates either all of them or none. Has no effect
    /// on stores that fit.
    ///
    /// - Parameter history: The versions of the model that the program contains.
    /// - Throws: `.store` with the error of the first store that cannot be migrated. All stores are
    ///   unchanged in that case.
    func migrate(_ stores: [StoreToMigrate], history: ModelHistory) throws(GraphError)
}
