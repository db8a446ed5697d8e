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

    func migrate(_ stores: [StoreToMigrate], history: ModelHistory) throws(GraphError) {
        do {
            _ = try StoreMigration.runTogether(migrations(of: stores, history)) { _ in
                Task.isCancelled ? .cancel : .proceed
            }
        } catch {
            throw GraphError(ofCopy: error)
        }
    }

    private func migrations(
        of stores: [StoreToMigrate], _ history: ModelHistory
    ) throws(StoreCopyError) -> [StoreMigration] {
        var migrations: [StoreMigration] = []
        do {
            for store in stores {
                var migration = try StoreMigration(
                    store.engine, ofType: store.type, as: store.request)
                migration.history = history
                migration.isAutomatic = true
                migrations.append(migration)
            }
        } catch {
            throw .store(error)
        }
        return migrations
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
