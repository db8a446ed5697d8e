import CairnModel
import CairnStore
import CairnThreads
import Foundation

/// Brings a store that nobody has open to another version of its model.
///
/// One process at a time migrates a store; another one waits until that is done, and then finds that
/// there is nothing to do. If the process is killed, the store is of the old version or of the new one,
/// and migrating again finishes what was begun.
package struct StoreMigration {
    let engine: any FileStore.Type
    let type: StoreType
    /// How the store is opened with the new version of the model.
    let request: OpenRequest
    /// The store's file, after symbolic links.
    let url: URL
    /// The versions that the program has.
    package var history = ModelHistory()
    /// The version that the store was written with. `nil` if it is to be found.
    package var source: ManagedObjectModel?
    /// Where a copy of the old store is kept. `nil` if none is wanted. No store may be there.
    package var backup: URL?
    /// Whether the engine may change the store in place.
    package var allowsInPlace = true
    /// Whether the migration runs because a store is opened, and nobody asked for it by hand.
    ///
    /// Such a migration is refused if it could do what nobody meant: if the store's model has no entity
    /// in common with the request's, so that all of its objects would be removed; and if something would
    /// be lost and ``history`` does not have the store's version, because a newer version of the program
    /// may have written it.
    package var isAutomatic = false

    /// Names a store and the version of the model that it is to have; touches nothing.
    ///
    /// - Parameters:
    ///   - engine: the engine of the store.
    ///   - type: the name by which the program knows the engine.
    ///   - request: how the store is opened with the new version. Its location is a file.
    /// - Throws: `.unsupported` if the location is not a file.
    package init(
        _ engine: any FileStore.Type, ofType type: StoreType, as request: OpenRequest
    ) throws(StoreError) {
        guard let url = request.location.fileURL else {
            throw .unsupported(
                request.location, feature: "no file",
                advice: "Migrate stores that are files.")
        }
        self.engine = engine
        self.type = type
        self.request = request
        self.url = url.resolvedForComparison
    }

    /// Returns what has to be done. Changes nothing.
    ///
    /// - Throws: `.sourceModelMissing`, `.migrationRefused`, `.mappingModelNeeded`; `.modelMismatch` if
    ///   ``source`` is not the version that the store was written with, or if
    ///   ``isAutomatic`` forbids the migration; what ``FileStore/metadata(at:)`` and
    ///   ``FileStore/model(at:)`` throw.
    package func plan() throws(StoreError) -> MigrationPlan {
        try MigrationPlanner(self).plan()
    }

    /// Opens the store for reading, with the version that it was written with.
    ///
    /// - Throws: `.sourceModelMissing`, and what the engine's `open` throws.
    package func openSource() throws(StoreError) -> any PersistentStore {
        let model = try MigrationPlanner(self).sourceModel()
        return try engine.open(
            OpenRequest(
                location: request.location, model: model,
                configuration: request.configuration(in: model), isReadOnly: true,
                createsMissing: false, options: request.options))
    }

    /// Migrates the store, if it does not fit the model yet.
    ///
    /// - Parameter report: told after each batch of objects, on the calling thread; decides whether to
    ///   go on.
    /// - Returns: what was done.
    /// - Throws: as ``runTogether(_:reporting:)``.
    package func run(
        reporting report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreCopyError) -> MigrationPlan {
        let plans = try Self.runTogether([self], reporting: report)
        return plans.first ?? MigrationPlan(location: request.location, stages: [])
    }

    /// Migrates the stores that do not fit their models yet, all or none.
    ///
    /// Several stores that need it are all copied, and take the names of the old ones when all copies
    /// are complete. If the process is killed while they do, some stores are of the new version: migrating
    /// again finishes that.
    ///
    /// - Parameter report: told after each batch of objects, on the calling thread; decides whether to
    ///   go on.
    /// - Returns: what was done with each store.
    /// - Throws: `.cancelled`; `.store`: what ``plan()`` throws; `.readOnly` if the request or the disk
    ///   does not allow changes; `.locked` if a store is open, in this process or another;
    ///   `.spaceMissing`; what reading the old stores and saving the new ones throw;
    ///   `.destinationExists` for a backup. The stores are as they were, except that the failure of one
    ///   to take its name, after another has taken its own, leaves that one migrated.
    package static func runTogether(
        _ migrations: [StoreMigration], reporting report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreCopyError) -> [MigrationPlan] {
        try MigrationRun(migrations).run(report)
    }

    /// Waits until no process migrates a store, and removes what a killed process left.
    ///
    /// - Throws: `.cancelled`, `.readOnly`, `.fileFailure`.
    package static func waitForMigration(of location: URL) throws(StoreError) {
        let url = location.resolvedForComparison
        let lock = try MigrationLock(waitingFor: url)
        defer { withExtendedLifetime(lock) {} }
        StorePlacement.removeAbandoned(at: url)
    }

    /// Migrates a copy of the store, and removes it.
    ///
    /// - Throws: as ``run(reporting:)``. The store is as it was in any case.
    package func rehearse(
        reporting report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreCopyError) -> MigrationPlan {
        let plan: MigrationPlan
        do throws(StoreError) {
            plan = try self.plan()
        } catch {
            throw StoreCopyError(error, at: request.location)
        }
        guard plan.isNeeded else { return plan }
        try aside(plan.stages, report) { _, _ in }
        return plan
    }

    /// - Throws: `.spaceMissing`.
    private func requireSpace(forCopies stageCount: Int) throws(StoreError) {
        let needed = try MigrationPlanner(self).copiedByteCount(stageCount)
        let available = try availableByteCount()
        guard available < needed else { return }
        throw .spaceMissing(request.location, needed: needed, available: available)
    }

    /// Waits until no other process migrates the store, and removes what a killed process left.
    ///
    /// - Throws: `.readOnly` if the request or the disk does not allow changes; `.cancelled`,
    ///   `.fileFailure`.
    func lock() throws(StoreError) -> MigrationLock {
        if request.isReadOnly { throw .readOnly(request.location) }
        let lock = try MigrationLock(waitingFor: url)
        StorePlacement.removeAbandoned(at: url)
        return lock
    }

    /// Copies the old store to the location of its backup.
    func makeBackup() throws(StoreCopyError) {
        guard let backup else { return }
        let copy = ClosedStore(engine, ofType: type, at: backup)
        if copy.url.isThere { throw .destinationExists(copy.location) }
        try copy.replace(withCopyOf: ClosedStore(engine, ofType: type, at: url))
    }

    // MARK: Migrating in place

    /// Changes the store itself, if the engine can do that. Returns `false` if the store has to be
    /// copied.
    func migratesInPlace(_ plan: MigrationPlan) throws(StoreCopyError) -> Bool {
        guard plan.stages.count == 1, case .inPlace = plan.stages[0].method,
            let engine = engine as? any InPlaceMigratingStore.Type
        else { return false }
        let stage = plan.stages[0]
        do throws(StoreError) {
            return try patiently { () throws(StoreError) in
                try engine.migrateInPlace(request, stage.correspondence)
            }
        } catch {
            throw StoreCopyError(error, at: request.location)
        }
    }

    // MARK: Aside

    /// Migrates a copy of the store's files, stage by stage, while nobody can open the store.
    ///
    /// - Parameter finish: takes the migrated store, which is closed and complete, while nobody can
    ///   open the store.
    func aside(
        _ stages: [MigrationPlan.Stage], _ report: (StoreCopyProgress) -> StoreCopyDecision,
        _ finish: (StorePlacement, StoreLocation) throws(StoreCopyError) -> Void
    ) throws(StoreCopyError) {
        do throws(StoreError) {
            try requireSpace(forCopies: stages.count)
        } catch {
            throw .store(error)
        }
        let placement = try StorePlacement(of: .file(url), engine, replacing: engine)
        defer { placement.discard() }
        try whileUnused { () throws(StoreCopyError) in
            try finish(placement, try migrateCopy(in: placement, stages, report))
        }
    }

    /// Runs a body while nobody can open the store. Waits a little if others have it open.
    private func whileUnused(
        _ body: () throws(StoreCopyError) -> Void
    ) throws(StoreCopyError) {
        let outcome: Result<Void, StoreCopyError>
        do throws(StoreError) {
            outcome = try patiently { () throws(StoreError) in
                // What the body throws is no reason to wait.
                try engine.withSettledUse(of: .file(url)) { Result(catching: body) }
            }
        } catch {
            throw StoreCopyError(error, at: request.location)
        }
        try outcome.get()
    }

    /// Returns the location of the migrated copy.
    private func migrateCopy(
        in placement: StorePlacement, _ stages: [MigrationPlan.Stage],
        _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreCopyError) -> StoreLocation {
        do throws(StoreError) {
            var current = try placement.makeLocation(inFolder: "source")
            try ClosedStore(engine, ofType: type, at: url).duplicateFiles(at: current)
            for (index, stage) in stages.enumerated() {
                let next = try placement.makeLocation(inFolder: "stage-\(index + 1)")
                current = try StageMigration(self, stage, from: current, to: next).run(report)
            }
            return current
        } catch {
            throw StoreCopyError(error, at: request.location)
        }
    }

    // MARK: Waiting

    /// How long to wait for a program that is starting: it opens a store for a moment, to see whether
    /// the store fits, and then waits for the migration.
    private static let patience: Duration = .seconds(2)

    /// Waits for some milliseconds. Returns why the wait has to end, or `nil` if it goes on.
    private static func pause(until end: ContinuousClock.Instant) -> WaitOutcome? {
        let wait = CancellableWait(until: end)
        if let ending = wait.ending { return ending }
        TurnExecutor.whileWaiting { _ = usleep(10_000) }
        return nil
    }

    /// Runs a body again as long as others have the store open, but not for long.
    private func patiently<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let end = ContinuousClock.now + Self.patience
        while true {
            do throws(StoreError) {
                return try body()
            } catch .locked(let location, let holder) {
                switch Self.pause(until: end) {
                case .timedOut?: throw .locked(location, holder: holder)
                case .cancelled?: throw .cancelled
                case .taken?, nil: continue
                }
            } catch {
                throw error
            }
        }
    }
}
