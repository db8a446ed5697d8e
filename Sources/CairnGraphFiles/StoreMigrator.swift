import CairnModel
import CairnStack
import CairnStore
import CairnStoreCopying

/// Migrates the stores of coordinators, using mappings that are inferred from two versions of a model.
struct StoreMigrator: StoreMigrating {
    func isMigrating(_ location: StoreLocation) -> Bool {
        location.fileURL.map { MigrationLock.isPresent(for: $0.resolvedForComparison) } ?? false
    }

    func waitForMigration(of location: StoreLocation) throws(StoreError) {
        guard let url = location.fileURL else { return }
        try StoreMigration.waitForMigration(of: url)
    }

    func finishRestore(
        of location: StoreLocation, registry: StoreRegistry
    ) throws(StoreError) {
        guard let url = location.fileURL else { return }
        try StoreMigration.finishRestore(of: url, engine: registry.knownEngine)
    }

    func migrate(_ stores: [StoreToMigrate], history: ModelHistory) throws(GraphError) {
        var migrations: [StoreMigration] = []
        for store in stores { migrations.append(try migration(of: store, history)) }
        do {
            _ = try StoreMigration.runTogether(migrations) { _ in
                Task.isCancelled ? .cancel : .proceed
            }
        } catch {
            throw GraphError(ofCopy: error)
        }
    }

    private func migration(
        of store: StoreToMigrate, _ history: ModelHistory
    ) throws(GraphError) -> StoreMigration {
        var history = history
        do {
            try store.historyExtension?(&history)
        } catch {
            throw .model(error)
        }
        do {
            var migration = try StoreMigration(
                store.engine, ofType: store.type, as: store.request)
            migration.history = history
            migration.isAutomatic = true
            migration.infersMappings = store.infersMappings
            migration.defersCleanup = store.defersCleanup
            migration.runCode =
                MigrationManager(
                    destinationModel: store.request.model, history: history,
                    registry: StoreRegistry()
                ).codeRunner
            return migration
        } catch {
            throw GraphError(ofStore: error)
        }
    }
}

extension StoreRegistry {
    /// Returns the registry with support for migrations. A coordinator with the returned registry
    /// migrates stores as ``CairnStore/StoreOption/migratesAutomatically`` specifies.
    ///
    /// `StoreRegistry.builtIn` already supports migrations.
    public func withMigrations() -> StoreRegistry {
        var registry = self
        registry.migrator = StoreMigrator()
        return registry
    }
}
