import Cairn
import Foundation
import StoreFileSupport

/// The worker's commands for a store of pictures of any engine.
///
///     pictures hold TYPE PATH             opens the store, reports that, and waits to be killed
///     pictures rename TYPE PATH TITLE     gives every picture that title, adds one picture, and saves
enum PictureVerbs {
    static func run(_ arguments: [String]) throws {
        switch (arguments.first, arguments.count) {
        case ("hold", 3):
            try hold(StoreType(arguments[1]), URL(fileURLWithPath: arguments[2]))
        case ("rename", 4):
            try rename(
                StoreType(arguments[1]), URL(fileURLWithPath: arguments[2]), to: arguments[3])
        default: throw WrongArguments(arguments)
        }
    }

    private static func hold(_ type: StoreType, _ file: URL) throws {
        let store = try PictureModel.registry.engine(ofType: type)
            .open(OpenRequest(location: .file(file), model: try PictureModel.make()))
        let snapshot = try store.snapshot()
        TestWorker.say("open")
        withExtendedLifetime((store, snapshot)) { TestWorker.waitForever() }
    }

    private static func rename(_ type: StoreType, _ file: URL, to title: String) throws {
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try PictureModel.make(), registry: PictureModel.registry)
        try coordinator.addPersistentStore(ofType: type, at: file)
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            for picture in try context.fetch(FetchRequest<ManagedObject>("Picture")) {
                try picture.setValue(title, forKey: "title")
            }
            try context.insertNewObject(forEntityName: "Picture").setValue(title, forKey: "title")
            try context.save()
        }
    }
}
