import CairnModel
import CairnStore
import CairnThreads
import Foundation

/// Migrates a store that no one has open to another version of its model.
///
/// Only one process at a time migrates a store. Another process waits until the migration is done,
/// and then finds that nothing is left to do. If the process is killed, the store is either of the
/// old version or of the new one, and migrating again completes the migration.
package struct StoreMigration {
    let engine: any PersistentStore.Type
    let type: StoreType
    let site: MigrationSite
    /// The request with which the store is opened with the new version of the model.
    let request: OpenRequest
    /// The versions of the model that the program has.
    package var history = ModelHistory()
    /// The version that the store was written with, or `nil` to find it automatically.
    package var source: ManagedObjectModel?
    /// Where to keep a copy of the old store, or `nil` to keep no copy. No store may exist there.
    package var backup: URL?
    /// Whether the engine may change the store in place.
    package var allowsInPlace = true
    /// Whether a migration in place leaves out work that can be done later.
    package var defersCleanup = false
    /// Whether the migration runs automatically because a store is opened, rather than at the
    /// user's request.
    ///
    /// An automatic migration is refused if it could have unintended results. That is the case if
    /// the store's model has no entity in common with the request's model, so that all objects
    /// would be removed. It is also the case if something would be lost and ``history`` does not
    /// contain the store's version, because a newer version of the program may have written the
    /// store.
    package var isAutomatic = false
    /// Whether a stage without a mapping model may be inferred.
    package var infersMappings = true
    /// Runs the code of a stage. Needed for a history that has code.
    package var runCode: StageCode.Runner?

    /// Creates a migration of a store to a version of the model. The store is not accessed.
    ///
    /// - Parameters:
    ///   - engine: the engine of the store.
    ///   - type: the name under which the program registered the engine.
    ///   - request: the request with which the store is opened with the new version.
    /// - Throws: `.unsupported` if the store is neither a file nor belongs to a service that can migrate it.
    package init(
        _ engine: any PersistentStore.Type, ofType type: StoreType, as request: OpenRequest
    ) throws(StoreError) {
        self.engine = engine
        self.type = type
        self.request = request
        site = try MigrationSite(engine, ofType: type, at: request.location)
    }

    /// Returns what has to be done. Changes nothing.
    ///
    /// - Throws: `.sourceModelMissing`, `.migrationRefused`, `.mappingModelNeeded`;
    ///   `.modelMismatch` if ``source`` is not the version that the store was written with, or if
    ///   the migration is refused because of ``isAutomatic``; the errors of
    ///   ``FileStore/metadata(at:)`` and ``FileStore/model(at:)``.
    package func plan() throws(StoreError) -> MigrationPlan {
        try MigrationPlanner(self).plan()
    }

    /// Returns what has to be done, with the number of objects or rows that each step concerns. Changes nothing.
    ///
    /// - Throws: the errors of ``plan()``.
    package func planWithCost() throws(StoreError) -> MigrationPlan {
        var plan = try plan()
        // A store that others are using can be planned, but not always read.
        guard let first = plan.stages.first, var counts = try? countObjects(first.source) else {
            return plan
        }
        let planner = MigrationPlanner(self)
        for index in plan.stages.indices {
            let steps = planner.stepsInPlace(of: plan.stages[index]) ?? []
            counts = plan.stages[index].count(counts, steps)
        }
        return plan
    }

    /// Returns the number of objects of each entity, without those of its subentities. Returns `nil` if the engine
    /// cannot count.
    private func countObjects(_ model: ManagedObjectModel) throws(StoreError) -> [String: Int]? {
        let store = try engine.open(
            OpenRequest(
                location: request.location, model: model,
                configuration: request.configuration(in: model), isReadOnly: true,
                createsMissing: false, options: request.options))
        defer { try? store.close() }
        let snapshot = try store.snapshot()
        defer { snapshot.end() }
        var counts: [String: Int] = [:]
        for entity in try CompatibilityCheck.entities(of: store.request) where !entity.isAbstract {
            let plan = FetchPlan(entity: entity, includesSubentities: false)
            guard let count = try snapshot.count(plan) else { return nil }
            counts[entity.name] = count
        }
        return counts
    }

    /// Copies the store to a new store of the request's version of the model. The store is not changed.
    ///
    /// If the store has to pass through other versions, a copy of it is migrated in a hidden folder
    /// beside it, and then copied.
    ///
    /// - Parameters:
    ///   - copier: creates the new store.
    ///   - destination: the location of the new store.
    ///   - report: called after each batch of objects, on the calling thread. Its result decides
    ///     whether to continue.
    /// - Throws: `.store`: the errors of ``plan()`` and of the engine's `open`, and `.locked` if the
    ///   store has to pass through other versions and is open; the errors of ``StoreCopier``.
    package func copy(
        with copier: StoreCopier, to destination: StoreLocation,
        reporting report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreCopyError) {
        let plan: MigrationPlan
        let source: ManagedObjectModel
        do {
            plan = try self.plan()
            source = try MigrationPlanner(self).sourceModel()
        } catch {
            throw StoreCopyError(error, at: request.location)
        }
        if !plan.needsStages {
            return try copy(request.location, of: source, with: copier, to: destination, report)
        }
        try aside(plan.stages, nil, report) { (migrated, _) throws(StoreCopyError) in
            try copy(migrated, of: request.model, with: copier, to: destination, report)
        }
    }

    /// Copies the store at a location, which is of a version of the model.
    private func copy(
        _ source: StoreLocation, of model: ManagedObjectModel, with copier: StoreCopier,
        to destination: StoreLocation, _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreCopyError) {
        let store: any PersistentStore
        do {
            store = try engine.open(
                OpenRequest(
                    location: source, model: model,
                    configuration: request.configuration(in: model), isReadOnly: true,
                    createsMissing: false, options: request.options))
        } catch {
            throw StoreCopyError(error, at: request.location)
        }
        defer { try? store.close() }
        _ = try copier.makeCopy(of: store, at: destination, reporting: report)
    }

    /// Migrates the store if it does not fit the model yet.
    ///
    /// - Parameter report: called on the calling thread after each batch of objects, or after each
    ///   step of a migration in place. Its result decides whether to continue.
    /// - Returns: a description of what was done.
    /// - Throws: the errors of ``runTogether(_:reporting:)``.
    package func run(
        reporting report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreCopyError) -> MigrationPlan {
        let plans = try Self.runTogether([self], reporting: report)
        return plans.first ?? MigrationPlan(location: request.location, stages: [])
    }

    /// Waits until no process is migrating the store, and removes what a killed process left.
    ///
    /// - Throws: `.cancelled`, `.readOnly`, `.fileFailure`.
    package static func waitForMigration(of location: URL) throws(StoreError) {
        let url = location.resolvedForComparison
        let lock = try MigrationLock(waitingFor: url)
        defer { withExtendedLifetime(lock) {} }
        StorePlacement.removeAbandoned(at: url)
    }

    /// Migrates a copy of the store, and then removes the copy.
    ///
    /// - Throws: the errors of ``run(reporting:)``. The store is not changed in any case.
    package func rehearse(
        reporting report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreCopyError) -> MigrationPlan {
        let plan: MigrationPlan
        do {
            plan = try self.plan()
        } catch {
            throw StoreCopyError(error, at: request.location)
        }
        guard plan.isNeeded else { return plan }
        try aside(plan.stages, nil, report) { _, _ in }
        return plan
    }

    /// Finishes or undoes the restore of a store that a process left unfinished. Waits while a process is restoring
    /// the store. Costs one system call if there is nothing to do.
    ///
    /// - Parameter engine: returns the engine of a type, for the store at a location.
    /// - Throws: `.locked` if a program has one of the stores open; `.cancelled`, `.readOnly`, `.corrupt`,
    ///   `.unknownType`, `.fileFailure`.
    package static func finishRestore(
        of location: URL,
        engine: (StoreType, StoreLocation) throws(StoreError) -> any FileStore.Type
    ) throws(StoreError) {
        try RestoreRecord.settle(beside: location.resolvedForComparison, engine)
    }

    /// - Throws: `.spaceMissing`.
    private func requireSpace(
        of store: ClosedStore, forCopies stageCount: Int
    ) throws(StoreError) {
        let needed = try MigrationPlanner(self).copiedByteCount(stageCount)
        let available = try store.availableByteCount()
        guard available < needed else { return }
        throw .spaceMissing(request.location, needed: needed, available: available)
    }

    /// The exclusive right to migrate a store: a lock beside a file, or a placement of a service.
    enum Turn {
        case file(MigrationLock)
        case service(any ServicePlacement)

        /// Ends the placement. A lock ends with its last reference.
        func end() { if case .service(let placement) = self { placement.discard() } }
    }

    /// Waits while another process migrates the store, and removes what a killed process left.
    ///
    /// - Throws: `.readOnly` if the request or the disk does not allow changes; `.cancelled`,
    ///   `.fileFailure`, `.engineFailure`.
    func takeTurn() throws(StoreError) -> Turn {
        if request.isReadOnly { throw .readOnly(request.location) }
        switch site {
        case .file(let store):
            let lock = try MigrationLock(waitingFor: store.url)
            try RestoreRecord.requireNone(beside: store.url)
            StorePlacement.removeAbandoned(at: store.url)
            return .file(lock)
        case .service(let engine):
            return .service(try engine.placement(at: request.location, replacing: true))
        }
    }

    /// Copies the old store to the location of its backup.
    func makeBackup() throws(StoreCopyError) {
        guard let backup else { return }
        guard case .file(let store) = site else {
            throw .store(
                .unsupported(
                    request.location,
                    feature: "a service as its location, whose stores are not backed up to files",
                    advice: "Copy the store with StoreCopier before you migrate it."))
        }
        let copy = ClosedStore(store.engine, ofType: type, at: backup)
        if copy.url.isThere { throw .destinationExists(copy.location) }
        try copy.replace(withCopyOf: store)
    }

    // MARK: Migrating in place

    /// Changes the store itself if the engine can do that. Returns `false` if the store has to be
    /// copied.
    func migratesInPlace(
        _ plan: MigrationPlan, _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreCopyError) -> Bool {
        guard plan.stages.count == 1, case .inPlace = plan.stages[0].method,
            let engine = engine as? any InPlaceMigratingStore.Type
        else { return false }
        let stage = plan.stages[0]
        do {
            return try patiently { () throws(StoreError) in
                try engine.migrateInPlace(
                    request, stage.correspondence, defersCleanup: defersCleanup
                ) {
                    report(StoreCopyProgress(steps: $0, of: $1)) == .proceed
                }
            }
        } catch {
            throw StoreCopyError(error, at: request.location)
        }
    }

    // MARK: Aside

    /// Replaces a store with its migrated copy.
    typealias Publishing = () throws(StoreError) -> Void

    /// Migrates a copy of the store, stage by stage, while no one can save to the store.
    ///
    /// - Parameters:
    ///   - placement: that of a store of a service, if the caller has one.
    ///   - finish: called with the migrated store, which is closed and complete, and with the function
    ///     that lets it replace the original.
    func aside(
        _ stages: [MigrationPlan.Stage], _ placement: (any ServicePlacement)?,
        _ report: (StoreCopyProgress) -> StoreCopyDecision,
        _ finish: (StoreLocation, @escaping Publishing) throws(StoreCopyError) -> Void
    ) throws(StoreCopyError) {
        switch site {
        case .file(let store): try aside(store, stages, report, finish)
        case .service(let engine): try aside(engine, placement, stages, report, finish)
        }
    }

    private func aside(
        _ store: ClosedStore, _ stages: [MigrationPlan.Stage],
        _ report: (StoreCopyProgress) -> StoreCopyDecision,
        _ finish: (StoreLocation, @escaping Publishing) throws(StoreCopyError) -> Void
    ) throws(StoreCopyError) {
        do {
            try requireSpace(of: store, forCopies: stages.count)
        } catch {
            throw .store(error)
        }
        let placement = try StorePlacement(
            of: store.location, store.engine, replacing: store.engine)
        defer { placement.discard() }
        try whileUnused(store) { () throws(StoreCopyError) in
            let migrated = try migrateCopy(of: store, in: placement, stages, report)
            try finish(migrated) { () throws(StoreError) in
                try placement.replaceDuringExclusiveUse(with: migrated)
            }
        }
    }

    private func aside(
        _ engine: any ServiceStore.Type, _ given: (any ServicePlacement)?,
        _ stages: [MigrationPlan.Stage], _ report: (StoreCopyProgress) -> StoreCopyDecision,
        _ finish: (StoreLocation, @escaping Publishing) throws(StoreCopyError) -> Void
    ) throws(StoreCopyError) {
        let location = request.location
        let placement: any ServicePlacement
        do {
            placement =
                if let given { given } else {
                    try engine.placement(at: location, replacing: true)
                }
        } catch {
            throw .store(error)
        }
        defer { if given == nil { placement.discard() } }
        var current = placement.replacedLocation
        do {
            // Code of a stage for the old store changes that store.
            if let first = stages.first, first.code.contains(where: { $0.entity == nil }) {
                current = try placement.makeLocation()
                _ = try StageMigration(
                    self, first.unchanging, from: placement.replacedLocation, to: current
                ).run(report)
            }
            for stage in stages {
                let next = try placement.makeLocation()
                current = try StageMigration(self, stage, from: current, to: next).run(report)
            }
        } catch {
            throw StoreCopyError(error, at: location)
        }
        let migrated = current
        try finish(migrated) { () throws(StoreError) in
            guard try placement.finish(with: migrated) else { throw .notFound(location) }
        }
    }

    /// Runs a body while no one can open the store. Waits for a short time if others have it open.
    private func whileUnused(
        _ store: ClosedStore, _ body: () throws(StoreCopyError) -> Void
    ) throws(StoreCopyError) {
        let outcome: Result<Void, StoreCopyError>
        do {
            outcome = try patiently { () throws(StoreError) in
                // An error of the body is no reason to wait, so it is passed on in a result.
                try store.engine.withExclusiveUseWithoutPendingSave(of: store.location) {
                    Result(catching: body)
                }
            }
        } catch {
            throw StoreCopyError(error, at: request.location)
        }
        try outcome.get()
    }

    /// Migrates a copy of the store, and returns its location.
    private func migrateCopy(
        of store: ClosedStore, in placement: StorePlacement, _ stages: [MigrationPlan.Stage],
        _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreCopyError) -> StoreLocation {
        do {
            var current = try placement.makeLocation(inFolder: "source")
            try store.duplicateFiles(at: current)
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

    /// How long to wait for a program that is starting. Such a program opens a store for a moment
    /// to check whether the store fits, and then waits for the migration.
    private static let patience: Duration = .seconds(2)

    /// Waits for a few milliseconds. Returns the reason if the wait has to end, or `nil` if it may
    /// continue.
    private static func pause(until end: ContinuousClock.Instant) -> WaitOutcome? {
        let wait = CancellableWait(until: end)
        if let ending = wait.ending { return ending }
        TurnExecutor.whileWaiting { _ = usleep(10_000) }
        return nil
    }

    /// Repeats a body while others have the store open, for a limited time.
    private func patiently<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let end = ContinuousClock.now + Self.patience
        while true {
            do {
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
