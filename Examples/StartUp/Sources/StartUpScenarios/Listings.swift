import CoreData
import Foundation

/// Runs the three listings of `CoreDataListings.swift`. Each function returns when the stack can be used.
@MainActor public enum Listings {
    /// Runs the listing with a container, which finds the model by its name and stores in the program's
    /// folder of the user's data.
    public static func container(modelName: String) -> NSPersistentContainer {
        var loads = 0
        let controller = ContainerController(modelName: modelName) { loads += 1 }
        precondition(loads == 1, "the store is loaded before the initializer returns")
        return controller.persistentContainer
    }

    /// Runs the listing that makes the stack by hand and adds the store on a background queue.
    public static func byHand(modelURL: URL, storeURL: URL) async -> NSManagedObjectContext {
        let (loaded, done) = AsyncStream<Void>.makeStream()
        let controller = StackController(modelURL: modelURL, storeURL: storeURL) { done.finish() }
        for await _ in loaded {}
        return controller.managedObjectContext
    }

    /// Runs the listing with a manager, which looks for `<modelName>.momd` in the main bundle.
    public static func manager(modelName: String, folder: URL) -> NSManagedObjectContext {
        CoreDataManager(modelName: modelName, folder: folder).managedObjectContext
    }
}
