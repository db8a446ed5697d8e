import CairnGraph
import CairnModel
import CairnStore
import CairnStoreCopying

/// Migrates stores for coordinators, by what can be inferred from two versions of a model.
struct StoreMigrator: StoreMigrating {
    func isMigrating(_ location: StoreLocation) -> Bool {
        location.fileURL.map { MigrationLock.isPresent(for: $0.resolvedForComparison) } ?? false
    }

    func waitForMigration(of location: StoreLocation) throws(GraphError) {
        guard let url = location.fileURL else { return }
        try GraphError.translating { () throws(StoreError) in
            try StoreMigration.waitForMigration(of: url)
        }
    }

    func migrate(_ stores: [StoreToMigrate], history: ModelHistory) throws(GraphError) {
        try GraphError.translating { () throws(StoreCopyError) in
            var migrations: [StoreMigration] = []
            for store in stores {
                do throws(StoreError) {
                    var migration = try StoreMigration(
                        store.engine, ofType: store.type, as: store.request)
                    migration.history = history
                    migration.isAutomatic = true
                    migrations.append(migration)
                } catch {
                    throw .store(error)
                }
            }
            _ = try StoreMigration.runTogether(migrations) { _ in
                Task.isCancelled ? .cancel : .goOn
            }
        }
    }
}

extension StoreRegistry {
    /// Returns the registry with migrations: a coordinator that has it migrates stores as
    /// ``CairnStore/StoreOption/migratesAutomatically`` says.
    ///
    /// `StoreRegistry.builtIn` has them.
    public func withMigrations() -> StoreRegistry {
        var registry = self
        registry.migrator = StoreMigrator()
        return registry
    }
}
