import Cairn
import Foundation

/// Writes `Trails.xcdatamodeld` and `Trails.sqlite` into the given folder.
@main enum GenerateFixtures {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else {
            print("usage: GenerateFixtures FOLDER")
            exit(2)
        }
        let folder = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
        let description = TrailsModel.description
        try ModelWriter.writeSource(
            ["Trails": description], current: "Trails",
            to: folder.appending(path: "Trails.xcdatamodeld"))
        let store = folder.appending(path: "Trails.sqlite")
        try makeStore(at: store, model: try ManagedObjectModel(description))
        print("\(store.path): \(try size(of: store) / 1024) KiB")
    }

    private static func makeStore(at url: URL, model: ManagedObjectModel) throws {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        if FileManager.default.fileExists(atPath: url.path) {
            try coordinator.destroyPersistentStore(at: url, ofType: .sqlite)
        }
        let store = try coordinator.addPersistentStore(ofType: .sqlite, at: url)
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            var content = TrailsContent(context)
            try content.make()
        }
        try coordinator.remove(store)
    }

    private static func size(of url: URL) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int ?? 0
    }
}
