import Cairn
import Foundation

/// Writes `Kept.xcdatamodeld` and one store of each durable engine into a folder.
///
/// The stores in `Fixtures/Stores` show what earlier versions wrote, so this program does not replace
/// existing files.
@main enum MakeKeptStores {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else {
            print("usage: MakeKeptStores FOLDER")
            exit(2)
        }
        let folder = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
        let stores = [
            ("Kept.sqlite", StoreType.sqlite), ("Kept.lmdb", .lmdb), ("Kept.xml", .xml),
            ("Kept.binary", .binary),
        ].map { (folder.appending(path: $0), $1) }
        for (url, _) in stores where FileManager.default.fileExists(atPath: url.path) {
            print("\(url.path) is kept, and so is not written again.")
            exit(1)
        }
        let description = KeptModel.description
        try ModelWriter.writeSource(
            ["Kept": description], current: "Kept",
            to: folder.appending(path: "Kept.xcdatamodeld"))
        let model = try ManagedObjectModel(description)
        for (url, type) in stores { try make(url, type, model) }
    }

    private static func make(
        _ url: URL, _ type: StoreType, _ model: ManagedObjectModel
    ) throws {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(ofType: type, at: url)
        // Only SQLite stores large values in external files.
        let largeValueByteCount = type == .sqlite ? 120_000 : 300
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            try KeptContent(context, largeValueByteCount: largeValueByteCount).make()
        }
        try coordinator.setMetadata(["purpose": "kept", "count": 3], for: store)
        try coordinator.remove(store)
    }
}
