import Cairn
import Foundation

/// The container of an app template: it is found by the model's name, loads its stores immediately, and is
/// saved when the app moves to the background.
@MainActor public final class PersistenceController {
    /// The container, which also creates background contexts.
    public let container: PersistentContainer
    private let log: (String) -> Void

    /// Creates the container and loads its stores.
    ///
    /// - Parameters:
    ///   - inMemory: Whether the store ends with the process, for tests and previews.
    ///   - directory: The directory of the store's file.
    ///   - log: Receives information about failures for developers.
    /// - Throws: `GraphError.model` if the model is missing or cannot be read.
    public init(
        name: String, bundle: Bundle = Models.bundle, inMemory: Bool = false, directory: URL,
        log: @escaping (String) -> Void = { print($0) }
    ) throws {
        self.log = log
        container = try PersistentContainer(name: name, bundles: [bundle], directory: directory)
        if inMemory {
            container.persistentStoreDescriptions.first!.url = URL(fileURLWithPath: "/dev/null")
        }
        container.loadPersistentStores { storeDescription, error in
            if let error = error as NSError? {
                log("Unresolved error \(error), \(error.userInfo)")
            }
        }
        container.viewContext.automaticallyMergesChangesFromParent = true
    }

    /// Saves the changes of the user interface, and logs a failure.
    public func saveContext() {
        let context = container.viewContext
        if context.hasChanges {
            do {
                try context.save()
            } catch {
                let nserror = error as NSError
                log("Unresolved error \(nserror), \(nserror.userInfo)")
            }
        }
    }
}
