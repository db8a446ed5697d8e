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
        let migrations = migrations.sorted {
            "\($0.request.location.resolvedForComparison)"
                < "\($1.request.location.resolvedForComparison)"
        }
        var turns: [Turn] = []
        defer { for turn in turns { turn.end() } }
        var plans: [MigrationPlan] = []
        for migration in migrations {
            do {
                turns.append(try migration.takeTurn())
                plans.append(try migration.plan())
            } catch {
                throw StoreCopyError(error, at: migration.request.location)
            }
        }
        let needed = migrations.indices.filter { plans[$0].isNeeded }
        for index in needed { try migrations[index].makeBackup() }
        if needed.count == 1, try migrations[needed[0]].migratesInPlace(plans[needed[0]], report) {
            return plans
        }
        let stores = needed.map {
            (migrations[$0], turns[$0], stages(of: plans[$0], needed.count))
        }
        try migrateCopies(stores[...], [], report)
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

    /// Migrates a copy of each store. The copies that are complete are kept while the remaining
    /// stores are migrated. When all copies are complete, they replace the old stores.
    private static func migrateCopies(
        _ stores: ArraySlice<(StoreMigration, Turn, [MigrationPlan.Stage])>,
        _ finished: [Publishing], _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreCopyError) {
        guard let (migration, turn, stages) = stores.first else { return try publish(finished) }
        var placement: (any ServicePlacement)?
        if case .service(let taken) = turn { placement = taken }
        try migration.aside(stages, placement, report) { (_, publish) throws(StoreCopyError) in
            try migrateCopies(stores.dropFirst(), finished + [publish], report)
        }
    }

    private static func publish(_ finished: [Publishing]) throws(StoreCopyError) {
        do {
            for publish in finished { try publish() }
        } catch {
            throw .store(error)
        }
    }
}
