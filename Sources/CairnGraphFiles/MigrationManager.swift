import CairnGraph
import CairnModel
import CairnStore
import CairnStoreCopying
import Foundation
import Synchronization

/// Migrates stores by hand: with a plan, a rehearsal, a backup, progress and cancellation.
///
/// ```swift
/// let manager = MigrationManager(destinationModel: model)
/// print(try manager.plan(forStoreAt: url, ofType: .sqlite))
/// try manager.migrateStore(at: url, ofType: .sqlite)
/// ```
///
/// Safe from any thread. A manager does one migration at a time; others wait.
public final class MigrationManager: Sendable {
    /// The version that the stores were written with. `nil` if it is found: among ``history`` by the
    /// hashes that a store records, or inside the store.
    public let sourceModel: ManagedObjectModel?
    /// The version that the stores are to have.
    public let destinationModel: ManagedObjectModel
    /// The versions that the program has, and the mapping models between them.
    public let history: ModelHistory
    /// The engines of the stores.
    public let registry: StoreRegistry
    /// Whether an engine may change a store in place. If it is `false`, every object is copied.
    public let usesStoreSpecificMigrationManager: Bool
    /// How far the migration has come, in objects. Cancelling it ends the migration, which then throws
    /// `.copyCancelled` and leaves the store as it was. A migration in place has no steps to report.
    public let progress: Progress
    private let turn = Mutex(())

    /// Names the versions; touches no store.
    ///
    /// - Parameters:
    ///   - sourceModel: the version that the stores were written with. `nil` if it is to be found.
    ///   - destinationModel: the version that the stores are to have.
    ///   - history: the versions that the program has.
    ///   - usesStoreSpecificMigrationManager: whether an engine may change a store in place.
    ///   - registry: the engines to choose from.
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

    /// How much of the migration is done, from 0 to 1.
    public var migrationProgress: Float { Float(progress.fractionCompleted) }

    /// Ends the migration: it throws `.copyCancelled`, and the store is as it was.
    public func cancelMigration() { progress.cancel() }

    // MARK: One store

    /// Returns what a migration of a store will do. Changes nothing.
    ///
    /// - Parameters:
    ///   - type: the engine of the store.
    ///   - configuration: the entities that the store holds. `nil` means all.
    ///   - options: as `addPersistentStore` takes them.
    /// - Throws: `.keepsNoFiles`; `.store`: `.migrationRefused` with each property and the reason,
    ///   `.mappingModelNeeded`, `.sourceModelMissing`, `.modelMismatch` if ``sourceModel`` is not the
    ///   store's; what reading the store's metadata throws.
    public func plan(
        forStoreAt url: URL, ofType type: StoreType, configurationName configuration: String? = nil,
        options: StoreOptions = [:]
    ) throws(GraphError) -> MigrationPlan {
        let migration = try migration(of: url, type, configuration, options)
        do throws(StoreError) {
            return try migration.plan()
        } catch {
            throw GraphError(ofStore: error)
        }
    }

    /// Migrates a store that nobody has open. Has no effect on a store that fits already.
    ///
    /// - Parameters:
    ///   - type: the engine of the store.
    ///   - configuration: the entities that the store holds. `nil` means all.
    ///   - options: as `addPersistentStore` takes them.
    ///   - backup: the location for a copy of the old store. `nil` means no copy.
    /// - Returns: what was done.
    /// - Throws: as ``plan(forStoreAt:ofType:configurationName:options:)``; `.copyCancelled`;
    ///   `.destinationExists` for the backup; `.store`: `.locked` if the store is open in this process or
    ///   another, `.readOnly`, `.spaceMissing`, and what reading the old objects and saving the new
    ///   ones throw. The store is as it was.
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

    /// Migrates a copy of a store, and removes the copy: what succeeds here succeeds with the store.
    ///
    /// - Returns: what was done to the copy.
    /// - Throws: as `migrateStore(at:ofType:configurationName:options:keepingBackupAt:)`. The store is
    ///   as it was in any case.
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

    /// Copies a store of the source model to a new store of the destination model, of any engine. The
    /// source stays as it is.
    ///
    /// - Parameters:
    ///   - sourceURL: the store.
    ///   - sourceType: its engine.
    ///   - sourceOptions: as `addPersistentStore` takes them.
    ///   - destinationURL: the location of the new store. No store may exist there, and its folder must
    ///     exist.
    ///   - destinationType: the engine of the new store.
    ///   - destinationOptions: as `addPersistentStore` takes them.
    /// - Throws: as ``plan(forStoreAt:ofType:configurationName:options:)`` and ``StoreCopier`` do.
    ///   Nothing is at the destination.
    public func migrateStore(
        from sourceURL: URL, sourceType: StoreType, options sourceOptions: StoreOptions = [:],
        toDestinationURL destinationURL: URL, destinationType: StoreType,
        destinationOptions: StoreOptions = [:]
    ) throws(GraphError) {
        let migration = try migration(of: sourceURL, sourceType, nil, sourceOptions)
        let copier: StoreCopier
        let store: any PersistentStore
        do throws(StoreError) {
            copier = try self.copier(to: destinationType, destinationOptions)
            store = try migration.openSource()
        } catch {
            throw GraphError(ofStore: error)
        }
        defer { try? store.close() }
        _ = try run { report throws(StoreCopyError) in
            _ = try copier.makeCopy(of: store, at: .file(destinationURL), reporting: report)
            return MigrationPlan(location: .file(destinationURL), stages: [])
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
        do throws(ModelError) {
            _ = try destinationModel.entities(forConfiguration: configuration)
        } catch {
            throw .model(error)
        }
        do throws(StoreError) {
            let own = try CoordinatorOptions(options)
            let engine = try registry.fileEngine(ofType: type, for: .file(url))
            var migration = try StoreMigration(
                engine, ofType: type,
                as: OpenRequest(
                    location: .file(url), model: destinationModel, configuration: configuration,
                    isReadOnly: own.isReadOnly, createsMissing: false, options: own.engineOptions))
            migration.history = history
            migration.source = sourceModel
            migration.allowsInPlace = usesStoreSpecificMigrationManager
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
                    progress.totalUnitCount = Int64(done.totalObjectCount)
                    progress.completedUnitCount = Int64(done.objectCount)
                    return progress.isCancelled || Task.isCancelled ? .cancel : .goOn
                }
            }
        }
        return try outcome.mapError(GraphError.init(ofCopy:)).get()
    }
}
