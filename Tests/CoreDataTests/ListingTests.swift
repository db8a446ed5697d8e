import CairnTestSupport
import CoreData
import Foundation
import StartUpScenarios
import Testing

/// Listings for Apple's systems, in Examples/StartUp, run unchanged.
@Suite @MainActor struct `A listing for Core Data` {
    private static let name = "ListedNotebook"
    /// The model in the main bundle. Compiled before the bundle is first searched, because Foundation
    /// remembers what a bundle contains.
    private static let compiled = Result { try Models.compile(as: name) }

    private let folder: TemporaryFolder
    private let model: URL

    init() throws {
        folder = try TemporaryFolder()
        model = try Self.compiled.get()
    }

    private var store: URL { folder.file("\(Self.name).sqlite") }

    /// Saves a note, and returns the number of notes in the store.
    private func countAfterAdding(to context: NSManagedObjectContext) throws -> Int {
        try context.insertNewObject(forEntityName: "Note").setValue("Bread", forKey: "text")
        try context.save()
        return try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Note"))
    }

    /// The listing keeps its store in the user's folder for the program's data, so this test removes it.
    @Test func `loads a container and calls back`() throws {
        let container = Listings.container(modelName: Self.name)
        let coordinator = container.persistentStoreCoordinator
        let url = try #require(coordinator.persistentStores.first?.request.location.fileURL)

        let count = try countAfterAdding(to: container.viewContext)
        try coordinator.remove(coordinator.persistentStores[0])
        try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType, options: nil)

        #expect(count > 0)
        #expect(url.lastPathComponent == "\(Self.name).sqlite")
    }

    @Test func `makes the stack by hand and adds the store in the background`() async throws {
        let context = await Listings.byHand(modelURL: model, storeURL: store)

        let count = try countAfterAdding(to: context)

        #expect(count == 1)
        #expect(FileManager.default.fileExists(atPath: store.path))
    }

    @Test func `makes a manager's stack when its context is needed`() throws {
        let context = Listings.manager(modelName: Self.name, folder: folder.url)

        let count = try countAfterAdding(to: context)

        #expect(count == 1)
        #expect(FileManager.default.fileExists(atPath: store.path))
    }

    @Test func `makes a manager whose context throws if there is no model`() {
        let context = Listings.manager(modelName: "Missing", folder: folder.url)

        #expect {
            try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Note"))
        } throws: { error in
            if case GraphError.notConnected = error { true } else { false }
        }
    }
}
