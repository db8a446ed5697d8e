import CoreData
import Foundation
import StartUpScenarios

/// Runs one of the five scenarios in a temporary folder.
@main struct StartUp {
    static let scenarios = """
        startup 1   a container with a completion handler
        startup 2   the stack by hand, the store added in the background
        startup 3   a manager that makes everything when it is needed
        startup 4   a program that answers while its stores are opened
        startup 5   a list of notes, as introductions show it
        """

    @MainActor static func main() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "startup-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // The folder of the user's data, in which a container keeps its store.
        setenv("XDG_DATA_HOME", folder.path, 1)
        switch CommandLine.arguments.dropFirst().first {
        case "1": try addNote(in: Listings.container(modelName: "Notebook").viewContext)
        case "2":
            try addNote(
                in: await Listings.byHand(
                    modelURL: Models.notebook, storeURL: folder.appending(path: "Hand.sqlite")))
        case "3":
            _ = try Models.compile(as: "Notebook")
            try addNote(in: Listings.manager(modelName: "Notebook", folder: folder))
        case "4": try await twoPhases()
        case "5": try await firstList()
        default: print(scenarios)
        }
    }

    @MainActor static func addNote(in context: NSManagedObjectContext) throws {
        try context.insertNewObject(forEntityName: "Note").setValue("Bread", forKey: "text")
        try context.save()
        let notes = NSFetchRequest<NSManagedObject>(entityName: "Note")
        print("notes: \(try context.count(for: notes))")
    }

    @MainActor static func twoPhases() async throws {
        let start = TwoPhaseStart(container: NSPersistentContainer(name: "Notebook"))
        let (loaded, done) = AsyncStream<Void>.makeStream()
        start.loadStores { done.finish() }
        print(start.answer())
        for await _ in loaded {}
        print(start.answer())
    }

    @MainActor static func firstList() async throws {
        let list = FirstList(container: Listings.container(modelName: "Notebook"))
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
}
