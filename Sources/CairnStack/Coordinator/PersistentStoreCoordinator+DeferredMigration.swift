import CairnStore

extension PersistentStoreCoordinator {
    /// Returns whether migrations of the stores have left work for later. See
    /// ``CairnStore/StoreOption/defersMigrationCleanup``.
    ///
    /// - Throws: `.store` with the error of reading a store.
    public func hasDeferredLightweightMigrationTasks() throws(GraphError) -> Bool {
        do {
            for store in deferringStores where try store.hasDeferredSteps() { return true }
            return false
        } catch {
            throw GraphError(ofStore: error)
        }
    }

    /// Does all work that migrations of the stores have left for later, task by task. Other programs and contexts can
    /// use the stores in the meantime, but their saves to a store wait while a task changes it.
    ///
    /// - Throws: The errors of ``finishDeferredLightweightMigrationTask()``. Tasks that are complete stay complete.
    public func finishDeferredLightweightMigration() throws(GraphError) {
        while try finishDeferredLightweightMigrationTask() {}
    }

    /// Does one task that a migration of a store has left for later, such as dropping the column of a removed
    /// attribute. After a crash, the task is either complete or left for later.
    ///
    /// - Returns: `false` if there was nothing to do.
    /// - Throws: `.saveCancelled` if the task that waits is cancelled; `.store` with the error of a save, such as
    ///   `.readOnly` or `.busy`.
    @discardableResult
    public func finishDeferredLightweightMigrationTask() throws(GraphError) -> Bool {
        if Task.isCancelled { throw .saveCancelled }
        do {
            for store in deferringStores where try store.finishDeferredStep() { return true }
            return false
        } catch {
            throw GraphError(ofSave: error)
        }
    }

    /// Does all work that migrations of the stores have left for later, on a background thread.
    ///
    /// - Throws: The same errors. Cancelling the task ends the work after the current task of the migration.
    public func finishDeferredLightweightMigration() async throws(GraphError) {
        try await executor.runWaiting { () throws(GraphError) in
            try self.finishDeferredLightweightMigration()
        }
    }

    private var deferringStores: [any InPlaceMigratingStore] {
        attachedStores.compactMap { $0.store as? any InPlaceMigratingStore }
    }
}
