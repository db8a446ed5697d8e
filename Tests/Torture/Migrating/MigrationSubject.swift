import Cairn
import CairnStore
import CairnTestSupport
import Foundation
import MigrationSupport

/// Old stores that a program of the new version opens.
struct MigrationSubject: Codable, Sendable {
    var engine: String
    var change: MigrationChange
    /// Whether the stores are copied even if the engine can migrate them in place.
    var copies: Bool
    /// The folder that contains only the stores' files.
    var folder: String
    /// A folder with stores of the same content, which stay unchanged.
    var reference: String

    var type: StoreType { StoreType(engine) }
    var files: [URL] { change.fileNames.map { URL(fileURLWithPath: folder + "/" + $0) } }

    func fileEngine() throws -> any FileStore.Type {
        try Engines.registry.fileEngine(ofType: type, for: .memory("a trial"))
    }

    /// Opens a store with either version, without migrating it.
    func open(
        _ file: URL, _ model: ManagedObjectModel, isReadOnly: Bool = true
    ) throws -> any PersistentStore {
        try fileEngine().open(
            OpenRequest(location: .file(file), model: model, isReadOnly: isReadOnly))
    }

    /// Returns the content of a store before its migration.
    func image(before file: URL) throws -> StoreImage {
        let store = try open(
            URL(fileURLWithPath: reference + "/" + file.lastPathComponent), change.versions.old)
        defer { try? store.close() }
        return try StoreImage(store)
    }

    /// Returns the differences between a migrated store and the prediction of the rules.
    func differences(of store: any PersistentStore, at file: URL) throws -> [String] {
        let oracle = try MigrationOracle(from: change.versions.old, to: change.versions.new)
        let expected = oracle.migrated(try image(before: file))
        return oracle.comparable(try StoreImage(store)).differences(from: expected)
    }

    /// Opens the stores like a program of the new version that migrates old stores.
    func openMigrating(
        with migrator: ObservedMigrator, registry: StoreRegistry
    ) throws -> PersistentStoreCoordinator {
        var registry = registry
        registry.migrator = migrator
        let container = PersistentContainer(
            name: "Library", managedObjectModel: try change.versions.new, registry: registry)
        let descriptions = files.map { PersistentStoreDescription(type: type, url: $0) }
        let coordinator = container.persistentStoreCoordinator
        if descriptions.count == 1 {
            try coordinator.addPersistentStore(with: descriptions[0])
            return coordinator
        }
        container.persistentStoreDescriptions = descriptions
        let failure = FirstFailure()
        container.loadPersistentStores(callingBackOn: .main) { failure.note($1) }
        if let failure = failure.found { throw failure }
        return coordinator
    }
}
