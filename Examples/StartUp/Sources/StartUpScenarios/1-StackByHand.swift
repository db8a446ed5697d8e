import Cairn
import Foundation

/// The stack by hand: a model from a bundle, a coordinator, a context that is given the coordinator, and a
/// store that is added on a background queue.
///
/// Opening a store may take long, so the user interface starts without it, and is told on the main queue.
@MainActor public final class DataController {
    /// Usable at once. Fetches and saves throw `.noStore` until the completion was called without an error.
    public let managedObjectContext: ManagedObjectContext

    /// - Parameters:
    ///   - storeType: the engine, for tests that want another one.
    ///   - completion: called on the main queue, with the error if the store is not open.
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
