import Cairn
import Foundation

/// A stack set up manually: a model from a bundle, a coordinator, a context that receives the coordinator,
/// and a store that is added on a background queue.
///
/// Opening a store may take long, so the user interface starts without it and is notified on the main queue.
@MainActor public final class DataController {
    /// The context, which can be used immediately. Its fetches and saves throw `.noStore` until `completion`
    /// was called without an error.
    public let managedObjectContext: ManagedObjectContext

    /// Creates the stack and begins to open the store.
    ///
    /// - Parameters:
    ///   - storeType: The type of the store. Tests may pass another type.
    ///   - completion: Called on the main queue, with an error if the store could not be opened.
    /// - Throws: `ModelError` if the model is missing or cannot be read.
    public init(
        modelName: String, bundle: Bundle = Models.bundle, storeURL: URL,
        storeType: String = SQLiteStoreType, completion: @escaping @MainActor ((any Error)?) -> Void
    ) throws {
        guard let modelURL = bundle.url(forResource: modelName, withExtension: "xcdatamodeld")
        else {
            throw ModelError.notFound(modelName, searched: [bundle.bundleURL])
        }
        let model = try ManagedObjectModel(contentsOf: modelURL)
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        managedObjectContext = ManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        managedObjectContext.persistentStoreCoordinator = coordinator

        DispatchQueue.global(qos: .background).async {
            do {
                try coordinator.addPersistentStore(
                    ofType: storeType, configurationName: nil, at: storeURL, options: nil)
                DispatchQueue.main.async { completion(nil) }
            } catch {
                DispatchQueue.main.async { completion(error) }
            }
        }
    }
}
