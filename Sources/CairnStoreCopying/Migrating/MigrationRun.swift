import CairnStore

/// The migration of several stores, which succeeds for all of them or for none.
struct MigrationRun {
    private let migrations: [StoreMigration]

    /// The order of the migrations is not significant.
    init(_ migrations: [StoreMigration]) {
        // Every process takes several locks in the same order.
        self.migrations = migrations.sorted { $0.url.path < $1.url.path }
    }

    /// - Throws: the errors of ``StoreMigration/runTogether(_:reporting:)``.
    func run(
        _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreCopyError) -> [MigrationPlan] {
        var locks: [MigrationLock] = []
        defer { withExtendedLifetime(locks) {} }
        var plans: [MigrationPlan] = []
        for migration in migrations {
            do throws(StoreError) {
                locks.append(try migration.lock())
                plans.append(try migration.plan())
            } catch {
                throw StoreCopyError(error, at: migration.request.location)
            }
        }
        let needed = zip(migrations, plans).filter { $1.isNeeded }
        for (migration, _) in needed { try migration.makeBackup() }
        if needed.count == 1, try needed[0].0.migratesInPlace(needed[0].1) { return plans }
        try migrateCopies(needed.map { ($0, stages(of: $1, needed.count)) }[...], [], report)
        return plans
    }

    private func stages(
        of plan: MigrationPlan, _ storeCount: Int
    ) -> [MigrationPlan.Stage] {
        plan.stages.map { stage in
            var stage = stage
            // The engine has declined to change the store in place.
            if storeCount == 1, plan.stages.count == 1 { stage.method = .copy }
            return stage
        }
    }

    /// The migrated copy of a store, and the placement with which it replaces the store.
    private typealias Finished = (placement: StorePlacement, result: StoreLocation)

    /// Migrates a copy of each store. The copies that are complete are kept while the remaining
    /// stores are migrated. When all copies are complete, they replace the old stores.
    private func migrateCopies(
        _ stores: ArraySlice<(StoreMigration, [MigrationPlan.Stage])>, _ finished: [Finished],
        _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreCopyError) {
        guard let (migration, stages) = stores.first else { return try publish(finished) }
        try migration.aside(stages, report) { (placement, result) throws(StoreCopyError) in
            try migrateCopies(stores.dropFirst(), finished + [(placement, result)], report)
        }
    }

    private func publish(_ finished: [Finished]) throws(StoreCopyError) {
        do throws(StoreError) {
            for (placement, result) in finished {
                try placement.replaceDuringExclusiveUse(with: result)
            }
        } catch {
            throw .store(error)
        }
    }
}
