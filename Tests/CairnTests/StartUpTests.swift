import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import StartUpScenarios
import Testing

/// Code listings from which people learn to set up a stack, as they appear in Examples/StartUp. Tests what
/// each does and logs when something is missing.
@Suite struct `Starting up` {
    let folder: TemporaryFolder
    static let types = [SQLiteStoreType, InMemoryStoreType]

    init() throws {
        folder = try TemporaryFolder()
        PersistentStoreCoordinator.registerStoreClass(SlowStore.self)
    }

    var notes: FetchRequest<ManagedObject> { FetchRequest("Note") }
    var store: URL { folder.file("Notebook.sqlite") }

    private func insertNote(into context: ManagedObjectContext) throws {
        try context.insertNewObject(forEntityName: "Note").setValue("Bread", forKey: "text")
    }

    /// Creates a store of another model at the usual location.
    private func makeStoreOfAnotherModel() throws {
        let other = try ManagedObjectModel([
            EntityDescription("Note", [.attribute("body", .string)])
        ])
        try PersistentStoreCoordinator(managedObjectModel: other).addPersistentStore(
            ofType: SQLiteStoreType, configurationName: nil, at: store, options: nil)
    }

    /// Returns a folder in which no user can create files, not even root.
    private func unwritableFolder() throws -> URL {
        if geteuid() == 0 { return URL(fileURLWithPath: "/sys", isDirectory: true) }
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o555], ofItemAtPath: folder.url.path)
        return folder.url
    }

    // MARK: The manual stack

    /// Creates the manual stack, and returns it with the error passed to its completion handler.
    @MainActor private func byHand(
        modelName: String = "Notebook", at url: URL, type: String = SQLiteStoreType
    ) async throws -> (DataController, (any Error)?) {
        let (calls, done) = AsyncStream<(any Error)?>.makeStream()
        let controller = try DataController(
            modelName: modelName, storeURL: url, storeType: type
        ) { error in
            dispatchPrecondition(condition: .onQueue(.main))
            done.yield(error)
            done.finish()
        }
        var errors: [(any Error)?] = []
        for await error in calls { errors.append(error) }
        #expect(errors.count == 1)
        return (controller, errors.first ?? nil)
    }

    @Test(arguments: types) @MainActor
    func `a manually built stack calls back on the main queue`(_ type: String) async throws {
        let (controller, error) = try await byHand(at: store, type: type)
        try insertNote(into: controller.managedObjectContext)
        try controller.managedObjectContext.save()

        #expect(error == nil)
        #expect(try controller.managedObjectContext.count(for: notes) == 1)
        #expect(
            FileManager.default.fileExists(atPath: store.path) == (type == SQLiteStoreType))
    }

    @Test @MainActor func `a manually built context throws until its store is open`() async throws {
        let controller = try DataController(modelName: "Notebook", storeURL: store) { _ in }

        // The callback runs on the main queue, which this test occupies until it awaits.
        #expect {
            try controller.managedObjectContext.count(for: notes)
        } throws: { error in
            if case GraphError.noStore(entity: "Note", hasStores: false) = error {
                true
            } else {
                false
            }
        }
    }

    @Test @MainActor func `a manually built stack throws an error for a missing model`()
        async throws
    {
        do {
            _ = try await byHand(modelName: "Missing", at: store)
            Issue.record("a stack without a model")
        } catch {
            let nserror = error as NSError
            #expect(nserror.domain == NSCocoaErrorDomain)
            #expect(nserror.code == 260)
            #expect(nserror.localizedDescription.contains("No model “Missing” was found"))
        }
    }

    @Test @MainActor func `a manually built stack reports a missing folder`() async throws {
        let url = folder.file("none/Notebook.sqlite")

        let (controller, error) = try await byHand(at: url)
        let nserror = try #require(error as NSError?)

        #expect(nserror.domain == NSCocoaErrorDomain)
        #expect(nserror.code == 512)
        #expect(nserror.userInfo[AffectedStoresErrorKey] as? [URL] == [url])
        #expect(throws: GraphError.self) {
            try controller.managedObjectContext.count(for: notes)
        }
    }

    @Test @MainActor func `a manually built stack reports a folder that is not writable`()
        async throws
    {
        let url = try unwritableFolder().appendingPathComponent("Notebook.sqlite")

        let (_, error) = try await byHand(at: url)
        let nserror = try #require(error as NSError?)

        #expect(nserror.domain == NSCocoaErrorDomain)
        #expect([513, 134_180].contains(nserror.code))
        #expect("\(nserror.userInfo)".contains(url.path))
    }

    @Test @MainActor func `a manually built stack reports a file that is not a store`() async throws
    {
        try Data("this is a shopping list, not a database".utf8).write(to: store)

        let (_, error) = try await byHand(at: store)
        let nserror = try #require(error as NSError?)

        #expect(nserror.code == 134_010)
        #expect(nserror.userInfo[AffectedStoresErrorKey] as? [URL] == [store])
        #expect(try Data(contentsOf: store).count == 39)
    }

    // MARK: A stack manager

    /// Returns a manager and the lines that it logs.
    @MainActor private func manager(
        _ modelName: String = "Notebook", in folder: URL? = nil, type: String = SQLiteStoreType
    ) -> (CoreDataManager, Log) {
        let log = Log()
        let manager = CoreDataManager(
            modelName: modelName, folder: folder ?? self.folder.url, storeType: type
        ) { log.lines.append($0) }
        return (manager, log)
    }

    @Test(arguments: types) @MainActor
    func `a manager creates its stack when its context is first used`(_ type: String) throws {
        let (manager, log) = manager(type: type)
        let isThereBefore = FileManager.default.fileExists(atPath: store.path)

        try insertNote(into: manager.mainContext)
        try manager.saveChanges()
        let saved = manager.mainContext.persistentStoreCoordinator.map {
            ContextHandle(coordinator: $0)
        }
        let count = try saved?.performAndWait {
            try $0.count(for: FetchRequest<ManagedObject>("Note"))
        }

        #expect(!isThereBefore)
        #expect(count == 1)
        #expect(log.lines.isEmpty)
        #expect(manager.mainContext === manager.mainContext)
    }

    @Test(arguments: types) @MainActor
    func `an editing context of a manager saves to the main context`(_ type: String) throws {
        let (manager, _) = manager(type: type)
        let editing = manager.newEditingContext()

        try editing.performAndWait {
            try insertNote(into: editing)
            try editing.save()
        }
        let isUnsaved = manager.mainContext.hasChanges
        try manager.saveChanges()

        #expect(isUnsaved)
        #expect(!manager.mainContext.hasChanges)
        #expect(try manager.mainContext.count(for: notes) == 1)
    }

    @Test @MainActor func `a manager without a model logs it, and its context throws`() {
        let (manager, log) = manager("Missing")

        #expect {
            try manager.mainContext.count(for: notes)
        } throws: { error in
            if case GraphError.notConnected = error { true } else { false }
        }
        #expect(log.lines.count == 1)
        #expect(log.text.contains("Missing"))
    }

    @Test @MainActor func `a manager whose store cannot be migrated logs code, store and reason`()
        throws
    {
        try makeStoreOfAnotherModel()
        let (manager, log) = manager()

        #expect {
            try manager.mainContext.count(for: notes)
        } throws: { error in
            if case GraphError.noStore = error { true } else { false }
        }
        #expect(log.lines.count == 1)
        #expect(log.text.contains("NSCocoaErrorDomain"))
        #expect(log.text.contains("134190"))
        #expect(log.text.contains(store.path))
        #expect(log.text.contains("NSAffectedStoresErrorKey"))
        #expect(log.text.contains("Note.text: it is required but has no default value"))
    }

    @Test @MainActor func `a manager whose folder is not writable logs the folder`() throws {
        let unwritable = try unwritableFolder()
        let (manager, log) = manager(in: unwritable)

        #expect(throws: GraphError.self) { try manager.mainContext.count(for: notes) }
        #expect(log.text.contains("NSCocoaErrorDomain"))
        #expect(log.text.contains(unwritable.path))
    }

    // MARK: A container

    @MainActor private func controller(
        _ name: String = "Notebook", inMemory: Bool = false
    ) throws -> (PersistenceController, Log) {
        let log = Log()
        let controller = try PersistenceController(
            name: name, inMemory: inMemory, directory: folder.url
        ) { log.lines.append($0) }
        return (controller, log)
    }

    @Test(arguments: [false, true]) @MainActor
    func `a container saves, and merges saves of other contexts`(_ inMemory: Bool) async throws {
        let (controller, log) = try controller(inMemory: inMemory)
        let context = controller.container.viewContext

        try insertNote(into: context)
        controller.saveContext()
        let note = try #require(try context.fetch(notes).first as ManagedObject?)
        try await controller.container.performBackgroundTask { other in
            let results: FetchResults<ManagedObject> = try other.fetch(FetchRequest("Note"))
            try results[0].setValue("Butter", forKey: "text")
            try other.save()
        }
        _ = try context.count(for: notes)

        #expect(try note.value(forKey: "text") as? String == "Butter")
        #expect(!context.hasChanges)
        #expect(log.lines.isEmpty)
        #expect(FileManager.default.fileExists(atPath: store.path) == !inMemory)
    }

    @Test @MainActor func `a container logs violations of the model's rules`() throws {
        let (controller, log) = try controller(inMemory: true)

        try controller.container.viewContext.insertNewObject(forEntityName: "Note")
        controller.saveContext()

        #expect(controller.container.viewContext.hasChanges)
        #expect(log.text.contains("1570"))
        #expect(log.text.contains("NSValidationErrorKey"))
        #expect(log.text.contains("NSValidationErrorObject"))
        #expect(log.text.contains("text"))
    }

    @Test @MainActor func `a container throws for a missing model, and says where it searched`() {
        #expect {
            try controller("Missing")
        } throws: { error in
            guard case GraphError.model(.notFound("Missing", let searched)) = error else {
                return false
            }
            return !searched.isEmpty && (error as NSError).code == 260
        }
    }

    @Test @MainActor func `a container logs that its store cannot be migrated`() throws {
        try makeStoreOfAnotherModel()

        let (controller, log) = try controller()

        #expect(log.lines.count == 1)
        #expect(log.text.contains("134190"))
        #expect(log.text.contains(store.path))
        #expect(throws: GraphError.self) {
            try controller.container.viewContext.count(for: notes)
        }
    }

    // MARK: A first list

    @Test(arguments: [false, true]) @MainActor
    func `a first list is filled, fetched, changed in the background and shown in sections`(
        _ inMemory: Bool
    ) async throws {
        let (controller, _) = try controller(inMemory: inMemory)
        let log = Log()
        let list = FirstList(container: controller.container) { log.lines.append($0) }
        try list.fetchedResultsController.performFetch()

        list.save(text: "Bread")
        let (added, done) = AsyncStream<(any Error)?>.makeStream()
        list.addNotebook(title: "Garden", text: "Roses") {
            done.yield($0)
            done.finish()
        }
        var errors: [(any Error)?] = []
        for await error in added { errors.append(error) }
        list.load()
        try list.fetchedResultsController.performFetch()

        #expect(errors.count == 1 && errors.allSatisfy { $0 == nil })
        #expect(
            try list.notes.map { try $0.value(forKey: "text") as? String } == ["Roses", "Bread"])
        #expect(list.fetchedResultsController.sections?.map(\.name) == ["", "Garden"])
        #expect(log.lines.isEmpty)
    }

    @Test @MainActor func `a first list logs violations of the model's rules`() throws {
        let (controller, _) = try controller(inMemory: true)
        let log = Log()
        let list = FirstList(container: controller.container) { log.lines.append($0) }
        try controller.container.viewContext.insertNewObject(forEntityName: "Note")

        list.save(text: "Bread")

        #expect(log.text.contains("Could not save."))
        #expect(list.notes.isEmpty)
    }

    /// The lines that a scenario logs.
    @MainActor private final class Log {
        var lines: [String] = []
        var text: String { lines.joined(separator: "\n") }
    }
}
