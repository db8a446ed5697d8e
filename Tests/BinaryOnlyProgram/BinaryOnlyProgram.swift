import CairnBinary
import CairnGraphFiles
import CairnModel
import CairnStack
import Foundation

/// A program that moves and destroys a store of one engine. It is linked only with the products that it uses.
@main enum BinaryOnlyProgram {
    static func main() throws {
        let model = try ManagedObjectModel([
            EntityDescription("Note", [.attribute("text", .string)])
        ])
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: model, registry: StoreRegistry([BinaryStore.self]))
        let folder = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
        let (first, second) = (folder.appending(path: "first"), folder.appending(path: "second"))
        let store = try coordinator.addPersistentStore(ofType: "Binary", at: first)
        try coordinator.remove(store)

        try coordinator.movePersistentStore(at: first, to: second, ofType: "Binary")
        let moved = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        try coordinator.destroyPersistentStore(at: second, ofType: "Binary")
        let destroyed = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        print("moved: \(moved), destroyed: \(destroyed)")
    }
}
