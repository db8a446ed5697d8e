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

    private func configuration(of file: URL) -> String? {
        change.configuration(ofStore: file.lastPathComponent)
    }

    /// Returns whether a store is of a version of the model, as far as its configuration's entities tell.
    func isStore(_ file: URL, of model: ManagedObjectModel) throws -> Bool {
        let held = try model.entities(forConfiguration: configuration(of: file)).map(\.name)
        let recorded = try fileEngine().metadata(at: .file(file)).entityVersionHashes
        return held.allSatisfy { recorded[$0] == model.entityVersionHashes[$0] }
    }

    func fileEngine() throws -> any FileStore.Type {
        try Engines.registry.fileEngine(ofType: type, for: .memory("a trial"))
    }

    /// Opens a store with either version, without migrating it.
    func open(
        _ file: URL, _ model: ManagedObjectModel, isReadOnly: Bool = true
    ) throws -> any PersistentStore {
        try fileEngine().open(
            OpenRequest(
                location: .file(file), model: model, configuration: configuration(of: file),
                isReadOnly: isReadOnly))
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
        let rules = try MigrationRules(of: change)
        let expected = try rules.migrated(try image(before: file))
        return rules.comparable(try StoreImage(store)).differences(from: expected)
    }

    /// Opens the stores like a program of the new version that migrates old stores.
    func openMigrating(
        with migrator: ObservedMigrator, registry: StoreRegistry
    ) throws -> PersistentStoreCoordinator {
        var registry = registry
        registry.migrator = migrator
        let container = PersistentContainer(
            name: "Library", managedObjectModel: try change.versions.new, registry: registry)
        let descriptions = files.map { file in
            let description = PersistentStoreDescription(type: type, url: file)
            description.configuration = configuration(of: file)
            if change == .deferred {
                description.options[.defersMigrationCleanup] = .boolean(true)
            }
            return description
        }
        let coordinator = container.persistentStoreCoordinator
        let history = try MigrationRules(of: change).history()
        coordinator.setModelHistory { history }
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

    // MARK: After opening

    /// Does what the program does after it has opened the stores: moves the objects of a split, and does the work that
    /// the migration left for later.
    func complete(_ coordinator: PersistentStoreCoordinator) throws {
        try finishSplit(coordinator)
        try coordinator.finishDeferredLightweightMigration()
    }

    /// Moves the objects that the code of a split made to the second store, two at a time. Has no effect on other
    /// changes, and on objects that were moved before.
    private func finishSplit(_ coordinator: PersistentStoreCoordinator) throws {
        guard change == .split, let first = coordinator.persistentStore(for: files[0]),
            let second = coordinator.persistentStore(for: files[1])
        else { return }
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            var request = FetchRequest<ManagedObject>("Note")
            request.affectedStores = [first]
            request.fetchLimit = 2
            while case let notes = Array(try context.fetch(request)), !notes.isEmpty {
                try context.move(notes, to: second)
                try context.save()
            }
        }
    }

    /// Returns the differences between the migrated stores of a split, taken together, and the prediction. An object
    /// may be in either store, but not in both.
    ///
    /// - Parameter isFinished: Whether all objects must have been moved.
    func splitDifferences(isFinished: Bool) throws -> [String] {
        let rules = try MigrationRules(of: change)
        var found = StoreImage()
        var expected = StoreImage()
        for file in files {
            let store = try open(file, change.versions.new)
            defer { try? store.close() }
            let image = rules.comparable(try StoreImage(store))
            for (id, object) in image.objects {
                if found.objects[id] != nil { return ["\(id) is in both stores"] }
                found.objects[id] = object
                if isFinished, id.entity == "Note", file == files[0] {
                    return ["\(id) was not moved"]
                }
            }
            for (id, object) in try rules.migrated(try self.image(before: file)).objects {
                expected.objects[id] = object
            }
        }
        return found.differences(from: expected)
    }
}
