import CairnModel
import CairnStack
import CairnStore
import CairnStoreCopying
import CairnThreads
import Foundation
import Synchronization

/// Migrates stores explicitly. Provides plans, rehearsals, backups, progress and cancellation.
///
/// ```swift
/// let manager = MigrationManager(destinationModel: model)
/// print(try manager.plan(forStoreAt: url, ofType: .sqlite))
/// try manager.migrateStore(at: url, ofType: .sqlite)
/// ```
///
/// A manager can be used from any thread. It performs one migration at a time; other calls wait.
public final class MigrationManager: Sendable {
    /// The version that the stores were written with. If `nil`, it is found by the hashes that a store
    /// records, in ``history`` or in the store itself.
    public let sourceModel: ManagedObjectModel?
    /// The version to which stores are migrated.
    public let destinationModel: ManagedObjectModel
    /// The versions that the program contains, and the mapping models between them.
    public let history: ModelHistory
    /// The engines that can open the stores.
    package let registry: StoreRegistry
    /// Whether an engine may migrate a store in place. If it is `false`, every object is copied.
    public let usesStoreSpecificMigrationManager: Bool
    /// The progress of the migration, in objects, or in steps if the engine migrates the store in place.
    /// Cancelling it stops the migration after the current batch of objects or step. The migration then
    /// throws `.copyCancelled` and leaves the store unchanged. When a migration has succeeded, all units
    /// are completed, even if there was nothing to do, so a parent's unit is completed as well.
    public let progress: Progress
    private let turn = Mutex(())
    /// The objects of the stage that is being executed.
    let current = Mutex<ObjectMigration?>(nil)

    /// Creates a manager. Does not access any store.
    ///
    /// - Parameters:
    ///   - sourceModel: The version that the stores were written with. If `nil`, it is found
    ///     automatically.
    ///   - destinationModel: The version to which stores are migrated.
    ///   - history: The versions that the program contains.
    ///   - usesStoreSpecificMigrationManager: Whether an engine may migrate a store in place.
    ///   - registry: The engines to choose from.
    public init(
        sourceModel: ManagedObjectModel? = nil, destinationModel: ManagedObjectModel,
        history: ModelHistory = ModelHistory(), usesStoreSpecificMigrationManager: Bool = true,
        registry: StoreRegistry
    ) {
        self.usesStoreSpecificMigrationManager = usesStoreSpecificMigrationManager
        self.sourceModel = sourceModel
        self.destinationModel = destinationModel
        self.history = history
        self.registry = registry
        progress = Progress(totalUnitCount: 0)
    }

    /// The completed fraction of the migration, from 0 to 1.
    public var migrationProgress: Float { Float(progress.fractionCompleted) }

    /// Cancels the migration, which then throws `.copyCancelled` and leaves the store unchanged.
    public func cancelMigration() { progress.cancel() }

    // MARK: One store

    /// Returns what a migration of a store will do, without changing anything.
    ///
    /// - Parameters:
    ///   - url: The store's file or folder.
    ///   - type: The engine of the store.
    ///   - configuration: The name of the configuration whose entities the store holds. `nil` means all
    ///     entities.
    ///   - options: The options, as in `addPersistentStore`.
    /// - Throws: `.storesAreNotFiles`; `.store` with `.migrationRefused` with each property and the reason,
    ///   `.mappingModelNeeded`, `.sourceModelMissing`, or `.modelMismatch` if ``sourceModel`` is not the
    ///   store's model; the errors of reading the store's metadata.
    public func plan(
        forStoreAt url: URL, ofType type: StoreType, configurationName configuration: String? = nil,
        options: StoreOptions = [:]
    ) throws(GraphError) -> MigrationPlan {
        let migration = try migration(of: url, type, configuration, options)
        do {
            return try migration.planWithCost()
        } catch {
            throw GraphError(ofStore: error)
        }
    }

    /// Migrates a store that is not open. Has no effect if the store already fits the destination model.
    ///
    /// - Parameters:
    ///   - url: The store's file or folder.
    ///   - type: The engine of the store.
    ///   - configuration: The name of the configuration whose entities the store holds. `nil` means all
    ///     entities.
    ///   - options: The options, as in `addPersistentStore`.
    ///   - backup: The location for a copy of the old store. `nil` means that no copy is made.
    /// - Returns: What was done.
    /// - Throws: The same errors as ``plan(forStoreAt:ofType:configurationName:options:)``;
    ///   `.copyCancelled`; `.destinationExists` for the backup; `.store` with `.locked` if the store is
    ///   open in this process or another, `.readOnly`, `.spaceMissing`, or the errors of reading the old
    ///   objects and saving the new ones. The store is unchanged in that case.
    @discardableResult
    public func migrateStore(
        at url: URL, ofType type: StoreType, configurationName configuration: String? = nil,
        options: StoreOptions = [:], keepingBackupAt backup: URL? = nil
    ) throws(GraphError) -> MigrationPlan {
        var migration = try migration(of: url, type, configuration, options)
        migration.backup = backup
        return try run { report throws(StoreCopyError) in
            try migration.run(reporting: report)
        }
    }

    /// Migrates a copy of a store, and then removes the copy. If this succeeds, migrating the store will
    /// also succeed.
    ///
    /// - Returns: What was done to the copy.
    /// - Throws: The same errors as
    ///   `migrateStore(at:ofType:configurationName:options:keepingBackupAt:)`. The store is unchanged
    ///   in any case.
    public func rehearseMigration(
        ofStoreAt url: URL, ofType type: StoreType,
        configurationName configuration: String? = nil, options: StoreOptions = [:]
    ) throws(GraphError) -> MigrationPlan {
        let migration = try migration(of: url, type, configuration, options)
        return try run { report throws(StoreCopyError) in
            try migration.rehearse(reporting: report)
        }
    }

    // MARK: To another store

    /// Copies a store of the source model to a new store of the destination model, with any engine. The
    /// source is not changed. If it has to be migrated through other versions, it must not be open, and
    /// its folder must be writable.
    ///
    /// - Parameters:
    ///   - sourceURL: The location of the source.
    ///   - sourceType: The engine of the source.
    ///   - sourceOptions: The options of the source, as in `addPersistentStore`.
    ///   - destinationURL: The location of the new store. No store may exist there, and its folder must
    ///     exist.
    ///   - destinationType: The engine of the new store.
    ///   - destinationOptions: The options of the new store, as in `addPersistentStore`.
    /// - Throws: The same errors as ``plan(forStoreAt:ofType:configurationName:options:)`` and
    ///   ``StoreCopier``. No store is left at the destination in that case.
    public func migrateStore(
        from sourceURL: URL, sourceType: StoreType, options sourceOptions: StoreOptions = [:],
        toDestinationURL destinationURL: URL, destinationType: StoreType,
        destinationOptions: StoreOptions = [:]
    ) throws(GraphError) {
        let migration = try migration(of: sourceURL, sourceType, nil, sourceOptions)
        let copier: StoreCopier
        do {
            copier = try self.copier(to: destinationType, destinationOptions)
        } catch {
            throw GraphError(ofStore: error)
        }
        _ = try run { report throws(StoreCopyError) in
            let destination = StoreLocation(destinationURL, of: copier.engine)
            try migration.copy(with: copier, to: destination, reporting: report)
            return MigrationPlan(location: destination, stages: [])
        }
    }

    private func copier(
        to type: StoreType, _ options: StoreOptions
    ) throws(StoreError) -> StoreCopier {
        var copier = StoreCopier(
            to: try registry.engine(ofType: type),
            options: try CoordinatorOptions(options).engineOptions)
        copier.model = destinationModel
        return copier
    }

    private func migration(
        of url: URL, _ type: StoreType, _ configuration: String?, _ options: StoreOptions
    ) throws(GraphError) -> StoreMigration {
        do {
            _ = try destinationModel.entities(forConfiguration: configuration)
        } catch {
            throw .model(error)
        }
        do {
            let own = try CoordinatorOptions(options)
            let engine = try registry.engine(ofType: type)
            var migration = try StoreMigration(
                engine, ofType: type,
                as: OpenRequest(
                    location: StoreLocation(url, of: engine), model: destinationModel,
                    configuration: configuration,
                    isReadOnly: own.isReadOnly, createsMissing: false, options: own.engineOptions))
            migration.history = history
            migration.source = sourceModel
            migration.allowsInPlace = usesStoreSpecificMigrationManager
            migration.defersCleanup = own.defersMigrationCleanup
            migration.runCode = codeRunner
            return migration
        } catch {
            throw GraphError(ofStore: error)
        }
    }

    private func run(
        _ body: ((StoreCopyProgress) -> StoreCopyDecision) throws(StoreCopyError) -> MigrationPlan
    ) throws(GraphError) -> MigrationPlan {
        let progress = progress
        let outcome = turn.withLock { _ in
            Result { () throws(StoreCopyError) in
                try body { done in
                    // Foundation stops the program if the total becomes 0 after having been more.
                    progress.totalUnitCount = Int64(max(1, done.totalObjectCount))
                    progress.completedUnitCount = Int64(done.objectCount)
                    return progress.isCancelled || Task.isCancelled ? .cancel : .proceed
                }
            }
        }
        let plan = try outcome.mapError(GraphError.init(ofCopy:)).get()
        // Without a unit, a progress is never finished, nor is its parent.
        progress.totalUnitCount = max(1, progress.totalUnitCount)
        progress.completedUnitCount = progress.totalUnitCount
        return plan
    }
}

extension MigrationManager {
    /// Runs the policies and the code of the manager's migrations.
    package var codeRunner: StageCode.Runner {
        { (stage, report) throws(StoreError) in
            try CodeRunner.run(stage, for: self, report)
        }
    }

    /// Runs a closure while policies can use objects.
    func withObjects(_ migration: ObjectMigration, _ body: () throws -> Void) rethrows {
        migration.manager = self
        migration.new.validatesSaves = false
        current.withLock { $0 = migration }
        defer {
            current.withLock { $0 = nil }
            migration.new.validatesSaves = true
        }
        try body()
    }
}

extension MigrationManager {
    /// Migrates a store on a background thread. Cancelling the task cancels the migration. See
    /// ``migrateStore(at:ofType:configurationName:options:keepingBackupAt:)``.
    ///
    /// - Throws: The same errors as that method.
    @discardableResult
    public func migrateStore(
        at url: URL, ofType type: StoreType, configurationName configuration: String? = nil,
        options: StoreOptions = [:], keepingBackupAt backup: URL? = nil
    ) async throws(GraphError) -> MigrationPlan {
        let progress = progress
        let result: Result<MigrationPlan, GraphError> = await withTaskCancellationHandler {
            do throws(GraphError) {
                return .success(
                    try await TurnExecutor().runWaiting { () throws(GraphError) in
                        try self.migrateStore(
                            at: url, ofType: type, configurationName: configuration,
                            options: options, keepingBackupAt: backup)
                    })
            } catch {
                return .failure(error)
            }
        } onCancel: {
            progress.cancel()
        }
        return try result.get()
    }
}
