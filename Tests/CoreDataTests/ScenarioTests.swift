import CairnTestSupport
import CairnTesting
import CoreData
import Foundation
import StartUpScenarios
import Testing

/// The scenarios of Examples/StartUp that are not listings for Apple's systems.
@Suite @MainActor struct `Starting up` {
    private func container(
        _ descriptions: [NSPersistentStoreDescription]
    ) throws -> NSPersistentContainer {
        let container = NSPersistentContainer(
            name: "Notebook",
            managedObjectModel: try #require(NSManagedObjectModel(contentsOf: Models.notebook)),
            registry: StoreRegistry.builtIn.injectingFaults())
        container.persistentStoreDescriptions = descriptions
        return container
    }

    /// A start in two phases with a store in memory for each object that controls its calls.
    private func start(_ faults: [StoreFaults]) throws -> TwoPhaseStart {
        let descriptions = faults.map { faults in
            let description = NSPersistentStoreDescription(type: .inMemory)
            description.options = faults.options
            return description
        }
        return TwoPhaseStart(container: try container(descriptions))
    }

    /// Begins to load, and returns a stream that ends after every store was tried.
    private func load(_ start: TwoPhaseStart) -> AsyncStream<Void> {
        let (loaded, done) = AsyncStream<Void>.makeStream()
        start.loadStores { done.finish() }
        return loaded
    }

    // MARK: A start in two phases

    @Test func `a program responds while its stores are opened`() async throws {
        let faults = [StoreFaults(), StoreFaults()]
        let held = faults.map { $0.hold(.open) }
        let start = try start(faults)

        let loaded = load(start)
        let during = start.answer()
        held.forEach { $0.release() }
        for await _ in loaded {}
        let after = start.answer()

        #expect(during == "Your notes are being opened (0 of 2).")
        #expect(after == "You have 0 notes.")
        #expect(start.progress.isFinished)
    }

    @Test func `a failed store is shown, and opening it can be retried`() async throws {
        let faults = StoreFaults()
        faults.fail(.open, with: .busy(.memory("notes"), waited: .seconds(5)))
        let start = try start([faults])

        for await _ in load(start) {}
        let failed = start.answer()
        for await _ in load(start) {}

        #expect(failed.hasPrefix("Your notes cannot be opened. The store memory “notes” was busy"))
        #expect(start.phase == .ready)
        #expect(start.answer() == "You have 0 notes.")
    }

    // MARK: A first list

    private func list(_ log: Log) throws -> (FirstList, NSManagedObjectContext) {
        let container = try container([NSPersistentStoreDescription(type: .inMemory)])
        container.loadPersistentStores { _, _ in }
        return (
            FirstList(container: container) { log.lines.append($0) }, container.viewContext
        )
    }

    @Test func `a first list is filled, fetched, changed in the background and shown in sections`()
        async throws
    {
        let log = Log()
        let (list, _) = try list(log)
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

    @Test func `a first list logs violations of the model's rules`() throws {
        let log = Log()
        let (list, context) = try list(log)
        try context.insertNewObject(forEntityName: "Note")

        list.save(text: "Bread")

        #expect(log.lines.first?.contains("Could not save.") == true)
        #expect(list.notes.isEmpty)
    }

    /// The lines that a scenario logs.
    @MainActor private final class Log {
        var lines: [String] = []
    }
}
