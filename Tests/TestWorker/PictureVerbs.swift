import Cairn
import CairnStore
import Foundation
import StoreFileSupport

/// The worker's commands for a store of pictures of any engine.
///
///     pictures hold TYPE PATH             opens the store, reports that, and waits to be killed
///     pictures add TYPE PATH TITLE USER GROUP   as that user, who is also in the group: reads every picture,
///                                         adds one, reports that or the error, and waits to be killed
///     pictures rename TYPE PATH TITLE     gives every picture that title, adds one picture, and saves
enum PictureVerbs {
    static func run(_ arguments: [String]) throws {
        switch (arguments.first, arguments.count) {
        case ("hold", 3):
            try hold(StoreType(arguments[1]), URL(fileURLWithPath: arguments[2]))
        case ("add", 6):
            try add(
                arguments[3], StoreType(arguments[1]), URL(fileURLWithPath: arguments[2]),
                uid_t(arguments[4]) ?? 0, gid_t(arguments[5]) ?? 0)
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

    private static func add(
        _ title: String, _ type: StoreType, _ file: URL, _ user: uid_t, _ group: gid_t
    ) throws {
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try PictureModel.make(), registry: PictureModel.registry)
        TestWorker.become(user, alsoIn: group)
        do {
            try coordinator.addPersistentStore(ofType: type, at: file)
            try ContextHandle(coordinator: coordinator).performAndWait { context in
                for picture in try context.fetch(FetchRequest<ManagedObject>("Picture")) {
                    _ = try picture.value(forKey: "pixels")
                }
                let picture = try context.insertNewObject(forEntityName: "Picture")
                try picture.setValue(title, forKey: "title")
                // More than SQLite stores inside the row.
                try picture.setValue(Data(repeating: 1, count: 150_000), forKey: "pixels")
                try context.save()
            }
            TestWorker.say("saved")
        } catch {
            TestWorker.say("refused: \(error)")
        }
        withExtendedLifetime(coordinator) { TestWorker.waitForever() }
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
