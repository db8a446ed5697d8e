import Cairn
import Foundation
import StartUpScenarios

/// Runs one of the five scenarios in a temporary folder.
@main struct StartUp {
    static let scenarios = """
        startup 1   the stack by hand, the store opened in the background
        startup 2   a stack manager that makes everything when it is needed
        startup 3   a container, found by the model's name
        startup 4   a program that answers while its stores are opened
        startup 5   a list of notes, as introductions show it
        """

    @MainActor static func main() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "startup-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        switch CommandLine.arguments.dropFirst().first {
        case "1": try await byHand(in: folder)
        case "2": try manager(in: folder)
        case "3": try container(in: folder)
        case "4": try await twoPhases(in: folder)
        case "5": try await firstList(in: folder)
        default: print(scenarios)
        }
    }

    @MainActor static func byHand(in folder: URL) async throws {
        let (loaded, done) = AsyncStream<String>.makeStream()
        let controller = try DataController(
            modelName: "Notebook", storeURL: folder.appending(path: "Hand.sqlite")
        ) { error in
            done.yield(error.map { "not loaded: \($0)" } ?? "loaded")
            done.finish()
        }
        print("the store is being opened")
        for await outcome in loaded { print(outcome) }
        print("notes: \(try count(in: controller.managedObjectContext))")
    }

    @MainActor static func manager(in folder: URL) throws {
        let manager = CoreDataManager(modelName: "Notebook", folder: folder)
        try manager.mainContext.insertNewObject(forEntityName: "Note").setValue(
            "Bread", forKey: "text")
        try manager.saveChanges()
        print("notes: \(try count(in: manager.mainContext))")
        let missing = CoreDataManager(modelName: "Missing", folder: folder)
        do {
            print("notes: \(try count(in: missing.mainContext))")
        } catch {
            print("shown to the user: \(error.localizedDescription)")
        }
    }

    @MainActor static func container(in folder: URL) throws {
        let controller = try PersistenceController(name: "Notebook", directory: folder)
        try controller.container.viewContext.insertNewObject(forEntityName: "Note").setValue(
            "Bread", forKey: "text")
        controller.saveContext()
        print("notes: \(try count(in: controller.container.viewContext))")
    }

    @MainActor static func twoPhases(in folder: URL) async throws {
        let start = TwoPhaseStart(
            container: try PersistentContainer(
                name: "Notebook", bundles: [], folders: [Models.folder], directory: folder))
        let (loaded, done) = AsyncStream<Void>.makeStream()
        start.loadStores { done.finish() }
        print(start.answer())
        for await _ in loaded {}
        print(start.answer())
    }

    @MainActor static func firstList(in folder: URL) async throws {
        let controller = try PersistenceController(name: "Notebook", directory: folder)
        let list = FirstList(container: controller.container)
        list.save(text: "Bread")
        let (added, done) = AsyncStream<String>.makeStream()
        list.addNotebook(title: "Garden", text: "Roses") { error in
            done.yield(error.map { "not added: \($0)" } ?? "added")
            done.finish()
        }
        for await outcome in added { print(outcome) }
        list.load()
        for note in list.notes { print(try note.value(forKey: "text") ?? "") }
        try list.fetchedResultsController.performFetch()
        for section in list.fetchedResultsController.sections ?? [] {
            print("\(section.name): \(section.numberOfObjects)")
        }
    }

    @MainActor static func count(in context: ManagedObjectContext) throws -> Int {
        try context.count(for: FetchRequest<ManagedObject>("Note"))
    }
}
