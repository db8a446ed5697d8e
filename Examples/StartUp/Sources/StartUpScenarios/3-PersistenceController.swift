import Cairn
import Foundation

/// The container of an app's template: found by the model's name, its stores loaded at once, and saved
/// when the app goes to the background.
@MainActor public final class PersistenceController {
    /// Makes background contexts, too.
    public let container: PersistentContainer
    private let log: (String) -> Void

    /// - Parameters:
    ///   - inMemory: whether the store ends with the process, for tests and previews.
    ///   - directory: where the store's file is.
    ///   - log: takes what a developer wants to know of a failure.
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

    /// Saves the changes of the user interface, and says what is wrong if that fails.
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
