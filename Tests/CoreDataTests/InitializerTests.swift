import CairnTestSupport
import CoreData
import Foundation
import StartUpScenarios
import Testing

/// The initialisers that do not throw, and the errors that programs for Core Data look at.
@Suite struct `Without throwing` {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private var store: URL { folder.file("Notebook.sqlite") }

    // MARK: Models

    @Test func `a model is read, or is nil`() throws {
        try Data("no model".utf8).write(to: folder.file("damaged.mom"))

        let model = NSManagedObjectModel(contentsOf: Models.notebook)
        let missing = NSManagedObjectModel(contentsOf: folder.file("missing.momd"))
        let damaged = NSManagedObjectModel(contentsOf: folder.file("damaged.mom"))

        #expect(model?.entities.map(\.name) == ["Note", "Notebook"])
        #expect(missing == nil && damaged == nil)
    }

    @Test func `a container finds its model by name`() {
        let container = NSPersistentContainer(name: "Notebook")

        #expect(container.name == "Notebook")
        #expect(container.managedObjectModel.entities.map(\.name) == ["Note", "Notebook"])
    }

    @Test @MainActor func `a container without a model tells the handler where it searched`() {
        let container = NSPersistentContainer(name: "Missing")
        container.persistentStoreDescriptions = [
            NSPersistentStoreDescription(url: store),
            NSPersistentStoreDescription(type: .inMemory),
        ]
        var errors: [GraphError?] = []

        container.loadPersistentStores { _, error in errors.append(error) }

        #expect(errors.count == 2)
        for error in errors {
            guard case .model(.notFound("Missing", let searched))? = error else {
                Issue.record("another error: \(error as Any)")
                continue
            }
            #expect(!searched.isEmpty && error?.code == 260)
        }
        #expect(container.persistentStoreCoordinator.persistentStores.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: store.path))
    }

    @Test func `Cairn's own initializer still throws for a missing model`() {
        #expect {
            try PersistentContainer(name: "Missing", bundles: [], folders: [folder.url])
        } throws: { error in
            guard case GraphError.model(.notFound("Missing", let searched)) = error else {
                return false
            }
            return searched == [folder.url]
        }
    }

    // MARK: Errors as NSError

    /// Opens a store of the notebook's model, and returns the error.
    private func failure(at url: URL) -> NSError? {
        guard let model = NSManagedObjectModel(contentsOf: Models.notebook) else { return nil }
        do {
            try NSPersistentStoreCoordinator(managedObjectModel: model).addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url,
                options: [
                    NSMigratePersistentStoresAutomaticallyOption: true,
                    NSInferMappingModelAutomaticallyOption: true,
                ])
            return nil
        } catch let error as NSError {
            return error
        }
    }

    @Test func `a missing folder has Core Data's code`() {
        let url = folder.file("none/Notebook.sqlite")

        let error = failure(at: url)

        #expect(error?.domain == NSCocoaErrorDomain && error?.code == 512)
        #expect(error?.userInfo[NSAffectedStoresErrorKey] as? [URL] == [url])
    }

    @Test func `a folder that is not writable has Core Data's code`() throws {
        // No user can create files in /sys, not even root.
        let unwritable =
            geteuid() == 0 ? URL(fileURLWithPath: "/sys", isDirectory: true) : folder.url
        if unwritable == folder.url {
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o555], ofItemAtPath: folder.url.path)
        }
        let url = unwritable.appendingPathComponent("Notebook.sqlite")

        let error = try #require(failure(at: url))

        #expect(error.domain == NSCocoaErrorDomain && [513, 134_180].contains(error.code))
        #expect("\(error.userInfo)".contains(url.path))
    }

    @Test func `a file that is not a store has Core Data's code, and stays as it is`() throws {
        try Data("this is a shopping list, not a database".utf8).write(to: store)

        let error = failure(at: store)
        let length = try Data(contentsOf: store).count

        #expect(error?.code == 134_010)
        #expect(error?.userInfo[NSAffectedStoresErrorKey] as? [URL] == [store])
        #expect(length == 39)
    }

    @Test func `a store that cannot be migrated has Core Data's code, and the reason`() throws {
        let other = try NSManagedObjectModel([
            NSEntityDescription("Note", [.attribute("text", .date)])
        ])
        try NSPersistentStoreCoordinator(managedObjectModel: other).addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: store)

        let error = try #require(failure(at: store))
        let text = "\(error), \(error.userInfo)"

        #expect(error.code == 134_190)
        #expect(text.contains(store.path) && text.contains(NSAffectedStoresErrorKey))
        #expect(text.contains("Note.text: its type changed from date to string"))
    }

    @Test func `objects that prevent a migration have Core Data's code, and the reason`() throws {
        let model = try NSManagedObjectModel([NSEntityDescription("Note")])
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let opened = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: store)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            _ = try context.insertNewObject(forEntityName: "Note")
            try context.save()
        }
        try coordinator.remove(opened)

        let error = try #require(failure(at: store))

        #expect(error.code == 134_110)
        #expect("\(error.userInfo)".contains("Note.text: it is required"))
    }

    @Test @MainActor func `a broken rule has Core Data's code and keys`() throws {
        let container = NSPersistentContainer(name: "Notebook")
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(type: .inMemory)]
        container.loadPersistentStores { _, _ in }
        let note = try container.viewContext.insertNewObject(forEntityName: "Note")
        var found: NSError?

        do {
            try container.viewContext.save()
        } catch let error as NSError {
            found = error
        }

        #expect(found?.code == 1570)
        #expect(found?.userInfo[NSValidationKeyErrorKey] as? String == "text")
        #expect(found?.userInfo[NSValidationObjectErrorKey] as? NSManagedObjectID == note.objectID)
        #expect(found?.userInfo[NSValidationPredicateErrorKey] != nil)
    }
}
