import Cairn
import CairnStore
import CairnStoreCopying
import CairnTestSupport
import Foundation
import MigrationSupport
import Testing

/// A store of one version of a model with random content, which is migrated to another version and compared
/// with the rules.
struct MigrationTrial {
    let folder: TemporaryFolder
    let type: StoreType
    let engine: any FileStore.Type
    let old: ManagedObjectModel
    let new: ManagedObjectModel
    /// The configuration of the store. `nil` for all entities.
    var configuration: String?
    var url: URL { folder.file("store.db") }

    init(
        _ type: StoreType, from old: ManagedObjectModel, to new: ManagedObjectModel,
        in folder: TemporaryFolder? = nil
    ) throws {
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        self.type = type
        self.old = old
        self.new = new
        engine = try StoreRegistry.builtIn.fileEngine(
            ofType: type, for: .file(folder.file("store.db")))
    }

    init(
        _ type: StoreType, from old: [EntityDescription], to new: [EntityDescription]
    ) throws {
        try self.init(type, from: ManagedObjectModel(old), to: ManagedObjectModel(new))
    }

    /// Opens the store with a version of the model.
    func open(_ model: ManagedObjectModel, createsMissing: Bool = false) throws
        -> any PersistentStore
    {
        try engine.open(
            OpenRequest(
                location: .file(url), model: model, configuration: configuration,
                createsMissing: createsMissing))
    }

    /// Creates and fills the store, and returns its content.
    func make(seed: UInt64 = 1) throws -> StoreImage {
        let store = try open(old, createsMissing: true)
        defer { try? store.close() }
        var random = try RandomStore(store, seed: seed)
        try random.fill()
        return try StoreImage(store)
    }

    /// The migration of the store.
    func migration(allowsInPlace: Bool) throws -> StoreMigration {
        var migration = try StoreMigration(
            engine, ofType: type,
            as: OpenRequest(location: .file(url), model: new, configuration: configuration))
        migration.allowsInPlace = allowsInPlace
        return migration
    }

    /// Returns the store's content, read with a version. `nil` means the new one.
    func image(of model: ManagedObjectModel? = nil) throws -> StoreImage {
        let store = try open(model ?? new)
        defer { try? store.close() }
        return try StoreImage(store)
    }

    /// Creates, fills and migrates a store, and records an issue for each violation of the rules.
    ///
    /// - Returns: The objects after the migration.
    @discardableResult
    func run(allowsInPlace: Bool, seed: UInt64 = 1) throws -> StoreImage {
        let before = try make(seed: seed)
        let oracle = MigrationOracle(from: old, to: new)
        let metadata = try engine.metadata(at: .file(url))

        let plan = try migration(allowsInPlace: allowsInPlace).run { _ in .proceed }

        let after = try image()
        let expected = oracle.migrated(before)
        let differences = oracle.comparable(after).differences(from: expected)
        #expect(plan.isNeeded)
        #expect(differences == [])
        let migrated = try engine.metadata(at: .file(url))
        #expect(migrated.identifier == metadata.identifier)
        #expect(migrated.values["note"] == .string("kept"))
        #expect(try nextKeysAreNew())
        let expectedFiles = Set(
            ["store.db"] + engine.companionFiles(of: .file(url)).map(\.url.lastPathComponent))
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(files.filter { !expectedFiles.contains($0) } == [])
        return after
    }

    /// Returns whether the store reserves only keys that it has never used.
    private func nextKeysAreNew() throws -> Bool {
        let store = try open(new)
        defer { try? store.close() }
        let transaction = try store.beginSave()
        defer { transaction.rollback() }
        let matching = ModelCorrespondence(from: old, to: new)
        return try new.entities.filter { $0.superentity == nil }.allSatisfy { root in
            guard root.hierarchy.contains(where: { matching.oldEntity(of: $0) != nil }) else {
                return true
            }
            let keys = try transaction.reserveKeys([root.number: 1])[root.number]
            return keys.map { $0.lowerBound > 1000 } ?? false
        }
    }
}
