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

    /// Finishes or undoes the restore of a store from a backup that a process left unfinished. Waits while a process is
    /// restoring the store. Costs one system call if there is nothing to do.
    ///
    /// - Throws: `.locked` if a program has one of the stores open; `.cancelled`, `.readOnly`, `.corrupt`,
    ///   `.unknownType`, `.fileFailure`.
    func finishRestore(
        of location: StoreLocation, registry: StoreRegistry
    ) throws(StoreError)

    /// Migrates stores that do not fit their models. Migrates either all of them or none. Has no effect
    /// on stores that fit.
    ///
    /// - Parameter history: The versions of the model that the program contains.
    /// - Throws: `.store` with the error of the first store that cannot be migrated; `.model` with the error
    ///   of a store's ``StoreToMigrate/historyExtension``. All stores are unchanged in that case.
    func migrate(_ stores: [StoreToMigrate], history: ModelHistory) throws(GraphError)
}

/// A closed store, and the version of the model to which it is migrated.
package struct StoreToMigrate: Sendable {
    /// The engine of the store.
    package var engine: any PersistentStore.Type
    /// The type under which the program knows the engine.
    package var type: StoreType
    /// The request for opening the store with the new version.
    package var request: OpenRequest
    /// Whether a migration without a mapping model may be inferred.
    package var infersMappings = true
    /// Whether a migration in place leaves out work that can be done later.
    package var defersCleanup = false
    /// Adds versions, or code of the steps between them, for this store only. `nil` adds nothing.
    package var historyExtension: HistoryExtension?

    /// Adds to the versions that the program contains, or to the code of the steps between them.
    package typealias HistoryExtension =
        @Sendable (inout ModelHistory) throws(ModelError) -> Void

    /// Creates a description of a store to migrate.
    package init(engine: any PersistentStore.Type, type: StoreType, request: OpenRequest) {
        self.engine = engine
        self.type = type
        self.request = request
    }
}

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
