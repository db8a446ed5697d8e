import CairnTestSupport
import CoreData
import Foundation
import StartUpScenarios
import Testing

/// The example of Core Data's documentation: an optional attribute becomes required, and a stage fills it before.
@Suite struct `A staged migration` {
    private let folder: TemporaryFolder
    private let old: NSManagedObjectModel
    private let new: NSManagedObjectModel

    init() throws {
        folder = try TemporaryFolder()
        old = try Self.model(.attribute("title", .string))
        new = try Self.model(
            .attribute("title", .string, isOptional: false), .attribute("length", .integer64))
        try add(["Bread", nil, nil])
    }

    private static func model(_ properties: PropertyDescription...) throws -> NSManagedObjectModel {
        try NSManagedObjectModel([NSEntityDescription("Note", properties)])
    }

    private var url: URL { folder.file("Notes.sqlite") }

    private func coordinator(_ model: NSManagedObjectModel) -> NSPersistentStoreCoordinator {
        NSPersistentStoreCoordinator(managedObjectModel: model)
    }

    private func add(_ titles: [String?]) throws {
        let coordinator = coordinator(old)
        let store = try coordinator.addPersistentStore(ofType: .sqlite, at: url)
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            for title in titles {
                try context.insertNewObject(forEntityName: "Note").setValue(title, forKey: "title")
            }
            try context.save()
        }
        try coordinator.remove(store)
    }

    private func reference(_ model: NSManagedObjectModel) -> NSManagedObjectModelReference {
        NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
    }

    /// A stage that gives each note a title before, and a length after.
    private func stage() -> NSCustomMigrationStage {
        let stage = NSCustomMigrationStage(migratingFrom: reference(old), to: reference(new))
        stage.label = "titles"
        stage.willMigrateHandler = { manager, stage in
            guard let container = manager.container else { return }
            try container.newBackgroundContext().performAndWait { context in
                let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
                for note in try context.fetch(request)
                where try note.value(forKey: "title") == nil {
                    try note.setValue("\(stage.label ?? "")", forKey: "title")
                }
                try context.save()
            }
        }
        stage.didMigrateHandler = { manager, _ in
            guard let container = manager.container else { return }
            try container.newBackgroundContext().performAndWait { context in
                for note in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")) {
                    let title = try note.value(forKey: "title") as? String ?? ""
                    try note.setValue(title.count, forKey: "length")
                }
                try context.save()
            }
        }
        return stage
    }

    private func options(_ manager: NSStagedMigrationManager?) -> [AnyHashable: Any] {
        var options: [AnyHashable: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: true,
            NSInferMappingModelAutomaticallyOption: true,
        ]
        if let manager { options[NSPersistentStoreStagedMigrationManagerOptionKey] = manager }
        return options
    }

    /// Opens the store with the new version, and returns its notes.
    private func migrated(_ manager: NSStagedMigrationManager?) throws -> [String] {
        let coordinator = coordinator(new)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options(manager))
        defer { try? coordinator.remove(store) }
        return try Self.notes(coordinator)
    }

    private static func notes(_ coordinator: NSPersistentStoreCoordinator) throws -> [String] {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")).map { note in
                let title = try note.value(forKey: "title") as? String ?? ""
                return "\(title) \(try note.value(forKey: "length") as? Int64 ?? -1)"
            }.sorted()
        }
    }

    @Test func `runs the handlers of its stages with containers of both versions`() throws {
        let manager = NSStagedMigrationManager([stage()])

        let refused = #expect(throws: GraphError.self) { try migrated(nil) }
        let notes = try migrated(manager)

        #expect("\(String(describing: refused))".contains("Note.title: it is required"))
        #expect(notes == ["Bread 5", "titles 6", "titles 6"])
        #expect(manager.container == nil)
    }

    @Test func `is an option of a description`() throws {
        let description = NSPersistentStoreDescription(url: url)
        description.setOption(
            NSStagedMigrationManager([stage()]),
            forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
        let coordinator = coordinator(new)

        let store = try coordinator.addPersistentStore(with: description)
        let notes = try Self.notes(coordinator)
        try coordinator.remove(store)

        #expect(notes.count == 3 && !notes.contains { $0.hasSuffix(" -1") })
    }

    @Test func `leaves the store unchanged if a handler throws`() throws {
        let stage = NSCustomMigrationStage(migratingFrom: reference(old), to: reference(new))
        stage.willMigrateHandler = { _, _ in throw CocoaError(.featureUnsupported) }
        let bytes = try Data(contentsOf: url)

        let error = #expect(throws: GraphError.self) {
            try migrated(NSStagedMigrationManager([stage]))
        }

        guard case .store(.migrationFailed)? = error else {
            Issue.record("ended with \(String(describing: error))")
            return
        }
        #expect(try Data(contentsOf: url) == bytes)
    }

    @Test func `refuses a lightweight stage of a version that the program does not have`() throws {
        let custom = stage()
        let known = NSLightweightMigrationStage([old.versionChecksum, new.versionChecksum])
        let unknown = NSLightweightMigrationStage(["unknown"])

        let error = #expect(throws: GraphError.self) {
            try migrated(NSStagedMigrationManager([custom, unknown]))
        }
        let notes = try migrated(NSStagedMigrationManager([custom, known]))

        #expect("\(String(describing: error))".contains("checksum unknown"))
        #expect(notes.count == 3)
    }

    @Test func `finds the models of references by name, file, checksum or hashes`() throws {
        let notebook = try #require(NSManagedObjectModel(contentsOf: Models.notebook))
        let checksum = notebook.versionChecksum

        let file = NSManagedObjectModelReference(
            fileURL: Models.notebook, versionChecksum: checksum)
        let named = NSManagedObjectModelReference(
            name: "Notebook", in: Models.bundle, versionChecksum: checksum)
        let hashed = NSManagedObjectModelReference(
            entityVersionHashes: notebook.entityVersionHashesByName, in: Models.bundle,
            versionChecksum: checksum)
        let unknown = NSManagedObjectModelReference(
            entityVersionHashes: new.entityVersionHashesByName, in: Models.bundle,
            versionChecksum: new.versionChecksum)
        let other = NSManagedObjectModelReference(
            fileURL: Models.notebook, versionChecksum: "unknown")

        for reference in [file, named, hashed] {
            #expect(reference.resolvedModel.entities.map(\.name) == ["Note", "Notebook"])
        }
        #expect(other.resolvedModel.entities.isEmpty)
        #expect(unknown.resolvedModel.entities.isEmpty)
        let error = #expect(throws: GraphError.self) {
            try migrated(
                NSStagedMigrationManager([
                    NSCustomMigrationStage(migratingFrom: other, to: reference(new))
                ]))
        }
        guard case .model(.notFound)? = error else {
            Issue.record("ended with \(String(describing: error))")
            return
        }
    }
}
