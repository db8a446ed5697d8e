import CairnStore

extension StoreMigration {
    /// Migrates the stores that do not fit their models yet, either all of them or none.
    ///
    /// If several stores have to be migrated, all of them are copied, and the copies replace the
    /// old stores when all copies are complete. If the process is killed during the replacement,
    /// some stores are of the new version. Migrating again completes the migration.
    ///
    /// - Parameters:
    ///   - migrations: the migrations, one for each store.
    ///   - report: called after each batch of objects, or after each step of a migration in place,
    ///     on the calling thread. Its result decides whether to continue.
    /// - Returns: a description of what was done, for each store.
    /// - Throws: `.cancelled`; `.store`: the errors of ``plan()``; `.readOnly` if the request or
    ///   the disk does not allow changes; `.locked` if a store is open in this process or another;
    ///   `.spaceMissing`; the errors of reading the old stores and saving to the new ones;
    ///   `.destinationExists` for a backup. The stores are unchanged then. The only exception is
    ///   that replacing a store fails after another one has been replaced: the other one is then
    ///   migrated.
    package static func runTogether(
        _ migrations: [StoreMigration], reporting report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreCopyError) -> [MigrationPlan] {
        // Every process takes several locks in the same order.
        let migrations = migrations.sorted { $0.url.path < $1.url.path }
        var locks: [MigrationLock] = []
        defer { withExtendedLifetime(locks) {} }
        var plans: [MigrationPlan] = []
        for migration in migrations {
            do {
                locks.append(try migration.lock())
                plans.append(try migration.plan())
            } catch {
                throw StoreCopyError(error, at: migration.request.location)
            }
        }
        let needed = zip(migrations, plans).filter { $1.isNeeded }
        for (migration, _) in needed { try migration.makeBackup() }
        if needed.count == 1, try needed[0].0.migratesInPlace(needed[0].1, report) { return plans }
        try migrateCopies(needed.map { ($0, stages(of: $1, needed.count)) }[...], [], report)
        return plans
    }

    private static func stages(
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
    private static func migrateCopies(
        _ stores: ArraySlice<(StoreMigration, [MigrationPlan.Stage])>, _ finished: [Finished],
        _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreCopyError) {
        guard let (migration, stages) = stores.first else { return try publish(finished) }
        try migration.aside(stages, report) { (placement, result) throws(StoreCopyError) in
            try migrateCopies(stores.dropFirst(), finished + [(placement, result)], report)
        }
    }

    private static func publish(_ finished: [Finished]) throws(StoreCopyError) {
        do {
            for (placement, result) in finished {
                try placement.replaceDuringExclusiveUse(with: result)
            }
        } catch {
            throw .store(error)
        }
    }
}
