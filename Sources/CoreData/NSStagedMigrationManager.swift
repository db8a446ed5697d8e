#if !canImport(Darwin)
import Foundation
import Synchronization

// Core Data's classes of staged migrations. They add their stages to the model history with which a store is
// migrated, as a program does with `ModelHistory.addStage(from:to:willMigrate:didMigrate:)`.

/// The stages of a staged migration. Set it as the option ``NSPersistentStoreStagedMigrationManagerOptionKey`` of a
/// store.
///
/// A store is migrated from its version to the program's as without a manager, except that it passes through each
/// custom stage that begins with its version or a later one. All stages are executed on a copy, which then replaces
/// the store.
public final class NSStagedMigrationManager: NSObject, Sendable {
    /// The stages, from the oldest version to the newest.
    public let stages: [any NSMigrationStage]
    private let running = Mutex<NSPersistentContainer?>(nil)

    /// Creates a manager of stages, which must be sorted from the oldest version to the newest.
    public init(_ stages: [any NSMigrationStage]) { self.stages = stages }

    /// The store that is being migrated, in a container of its own. `nil` unless a handler of a stage runs.
    public var container: NSPersistentContainer? { running.withLock { $0 } }

    /// Adds the stages, and the versions of custom stages that the history does not contain.
    ///
    /// - Throws: `.notFound` if the history does not contain a version of a lightweight stage; the errors of
    ///   finding the models of references.
    func add(to history: inout ModelHistory) throws(ModelError) {
        var next = 0
        func index(of checksum: String) -> Int? {
            history.versions.firstIndex { $0.model.versionChecksum == checksum }
        }
        func add(_ reference: NSManagedObjectModelReference) throws(ModelError)
            -> ManagedObjectModel
        {
            let model = try reference.model.get()
            if let known = index(of: model.versionChecksum) {
                next = max(next, known + 1)
            } else {
                history.versions.insert(
                    ModelHistory.Version(name: reference.versionChecksum, model: model), at: next)
                next += 1
            }
            return model
        }
        for stage in stages {
            if let stage = stage as? NSCustomMigrationStage {
                let (old, new) = (try add(stage.currentModel), try add(stage.nextModel))
                history.addStage(
                    from: old, to: new, willMigrate: call(stage.willMigrateHandler, of: stage),
                    didMigrate: call(stage.didMigrateHandler, of: stage))
            } else if let stage = stage as? NSLightweightMigrationStage {
                for checksum in stage.versionChecksums {
                    guard let known = index(of: checksum) else {
                        throw .notFound("version with the checksum \(checksum)", searched: [])
                    }
                    next = max(next, known + 1)
                }
            }
        }
    }

    private func call(
        _ handler: NSCustomMigrationStage.Handler?, of stage: NSCustomMigrationStage
    ) -> (@Sendable (ManagedObjectContext) throws -> Void)? {
        guard let handler else { return nil }
        return { context in
            guard let coordinator = context.persistentStoreCoordinator else { return }
            let container = PersistentContainer(
                name: stage.label ?? "migration", persistentStoreCoordinator: coordinator,
                classes: context.objectClasses)
            self.running.withLock { $0 = container }
            defer { self.running.withLock { $0 = nil } }
            try handler(self, stage)
        }
    }
}

/// One stage of a staged migration. Only ``NSCustomMigrationStage`` and ``NSLightweightMigrationStage`` are executed.
public protocol NSMigrationStage: AnyObject, Sendable {
    /// The purpose of the stage, for people.
    var label: String? { get set }
}

/// Versions of the model between which a store can be migrated without code.
public final class NSLightweightMigrationStage: NSMigrationStage {
    /// The checksums of the versions, from the oldest to the newest. See `ManagedObjectModel.versionChecksum`.
    public let versionChecksums: [String]
    private let text = Mutex<String?>(nil)

    /// Creates a stage for versions, which must be sorted from the oldest to the newest.
    public init(_ versionChecksums: [String]) { self.versionChecksums = versionChecksums }

    /// The purpose of the stage, for people.
    public var label: String? {
        get { text.withLock { $0 } }
        set { text.withLock { $0 = newValue } }
    }
}

/// A step between two versions of the model, with code before and after it.
public final class NSCustomMigrationStage: NSMigrationStage {
    /// Code of a stage. It gets the manager, whose ``NSStagedMigrationManager/container`` has the store, and the
    /// stage. It must save its changes. If it throws, opening the store throws `.store` with `.migrationFailed`, and
    /// the store is unchanged.
    public typealias Handler =
        @Sendable (NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void

    /// The version that the stage starts from.
    public let currentModel: NSManagedObjectModelReference
    /// The version that the stage leads to.
    public let nextModel: NSManagedObjectModelReference
    private let values = Mutex<(label: String?, will: Handler?, did: Handler?)>((nil, nil, nil))

    /// Creates a stage without handlers.
    public init(
        migratingFrom currentModel: NSManagedObjectModelReference,
        to nextModel: NSManagedObjectModelReference
    ) {
        self.currentModel = currentModel
        self.nextModel = nextModel
    }

    /// The purpose of the stage. It is the name of the manager's container.
    public var label: String? {
        get { values.withLock { $0.label } }
        set { values.withLock { $0.label = newValue } }
    }

    /// Called before the stage, with the objects of ``currentModel``. Called on the thread of the migration.
    public var willMigrateHandler: Handler? {
        get { values.withLock { $0.will } }
        set { values.withLock { $0.will = newValue } }
    }

    /// Called after the stage, with the objects of ``nextModel``. Called on the thread of the migration.
    public var didMigrateHandler: Handler? {
        get { values.withLock { $0.did } }
        set { values.withLock { $0.did = newValue } }
    }
}

/// A version of a model, which a stage of a migration begins with or leads to.
public final class NSManagedObjectModelReference: Sendable {
    /// The checksum of the version. See `ManagedObjectModel.versionChecksum`.
    public let versionChecksum: String
    /// The model, or the reason that it was not found.
    let model: Result<ManagedObjectModel, ModelError>

    /// Creates a reference to a model.
    public init(model: NSManagedObjectModel, versionChecksum: String) {
        self.versionChecksum = versionChecksum
        self.model = .success(model)
    }

    /// Creates a reference to the version with a checksum in a model file of any form.
    public init(fileURL: URL, versionChecksum: String) {
        self.versionChecksum = versionChecksum
        model = Result { () throws(ModelError) in
            try Self.version(versionChecksum, at: fileURL)
        }
    }

    /// Creates a reference to the version with a checksum of the model with a name.
    ///
    /// - Parameter bundle: The bundle that contains the model. `nil` means the main bundle and the folders that
    ///   `PersistentContainer.init(name:)` searches.
    public init(name: String, in bundle: Bundle?, versionChecksum: String) {
        self.versionChecksum = versionChecksum
        model = Result { () throws(ModelError) in
            try Self.version(
                versionChecksum, at: Self.locator(of: bundle).location(of: name))
        }
    }

    /// Creates a reference to the version of any model whose entities have these hashes.
    ///
    /// - Parameters:
    ///   - entityVersionHashes: The hash of each entity by the entity's name, as `Data`. A store's metadata has
    ///     them with the key ``NSStoreModelVersionHashesKey``.
    ///   - bundle: The bundle that contains the model. `nil` means the main bundle and the folders that
    ///     `PersistentContainer.init(name:)` searches.
    public init(
        entityVersionHashes: [AnyHashable: Any], in bundle: Bundle?, versionChecksum: String
    ) {
        self.versionChecksum = versionChecksum
        let hashes = entityVersionHashes as? [String: Data]
        model = Result { () throws(ModelError) in
            let locations = try Self.locator(of: bundle).locations()
            for location in locations {
                let found = try ModelHistory(contentsOf: location).versions.last {
                    $0.model.entityVersionHashes.mapValues(\.data) == hashes
                }
                if let found { return found.model }
            }
            throw .notFound("version with these hashes of its entities", searched: locations)
        }
    }

    private static func locator(of bundle: Bundle?) -> ModelLocator {
        let folders = [(bundle ?? Bundle.main).resourceURL].compactMap(\.self)
        return ModelLocator(
            folders: bundle == nil ? folders + PersistentContainer.defaultModelFolders : folders)
    }

    /// The model. If it was not found, returns a model without entities, and opening a store with the stage throws the
    /// reason.
    public var resolvedModel: NSManagedObjectModel { (try? model.get()) ?? .empty }

    private static func version(
        _ checksum: String, at location: URL
    ) throws(ModelError) -> ManagedObjectModel {
        let versions = try ModelHistory(contentsOf: location).versions
        guard let version = versions.last(where: { $0.model.versionChecksum == checksum }) else {
            throw .notFound("version with the checksum \(checksum)", searched: [location])
        }
        return version.model
    }
}

extension PersistentStoreDescription {
    /// Sets the manager with which the store is migrated. `nil` removes it.
    func setStagedMigrationManager(_ manager: NSStagedMigrationManager?) {
        guard let manager else {
            historyExtension = nil
            return
        }
        historyExtension = { (history: inout ModelHistory) throws(ModelError) in
            try manager.add(to: &history)
        }
    }
}
#endif
