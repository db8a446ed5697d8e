import Cairn
import Foundation
import StartUpScenarios

/// Runs one of the four scenarios in a temporary folder.
@main struct StartUp {
    static let scenarios = """
        startup 1   a controller with a container, found by the model's name
        startup 2   the stack by hand, the store opened in the background
        startup 3   a stack manager that makes everything when it is needed
        startup 4   a program that answers while its store is opened
        """

    @MainActor static func main() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "startup-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        switch CommandLine.arguments.dropFirst().first {
        case "1": try await controller(in: folder)
        case "2": try await byHand(in: folder)
        case "3": try manager(in: folder)
        case "4": try await twoPhases(in: folder)
        default: print(scenarios)
        }
    }

    @MainActor static func controller(in folder: URL) async throws {
        let (loaded, done) = AsyncStream<GraphError?>.makeStream()
        let controller = try DataController(modelName: "Notebook", directory: folder) {
            done.yield($0)
            done.finish()
        }
        for await failure in loaded {
            print(failure.map { "not loaded: \($0)" } ?? "loaded")
        }
        let count = try await controller.inBackground { context in
            try context.insertNewObject(forEntityName: "Note").setValue("Bread", forKey: "text")
            try context.save()
            return try context.count(for: FetchRequest<ManagedObject>("Note"))
        }
        print("notes: \(count)")
    }

    @MainActor static func byHand(in folder: URL) async throws {
        let (loaded, done) = AsyncStream<GraphError?>.makeStream()
        let stack = try HandMadeStack(
            modelURL: Models.notebook, storeURL: folder.appending(path: "Hand.sqlite")
        ) {
            done.yield($0)
            done.finish()
        }
        print("the store is being opened")
        for await failure in loaded {
            print(failure.map { "not loaded: \($0)" } ?? "loaded")
        }
        print("notes: \(try stack.context.count(for: FetchRequest<ManagedObject>("Note")))")
    }

    @MainActor static func manager(in folder: URL) throws {
        let manager = StackManager(modelName: "Notebook", folder: folder)
        print("notes: \(try manager.context.count(for: FetchRequest<ManagedObject>("Note")))")
        do throws(GraphError) {
            _ = try StackManager(modelName: "Missing", folder: folder).context
        } catch {
            print("shown to the user: \(error)")
        }
    }

    @MainActor static func twoPhases(in folder: URL) async throws {
        let start = TwoPhaseStart(
            container: try PersistentContainer(
                name: "Notebook", bundles: [], folders: [Models.folder], directory: folder))
        print(start.answer())
        await start.loadStores()
        print(start.answer())
    }
}
