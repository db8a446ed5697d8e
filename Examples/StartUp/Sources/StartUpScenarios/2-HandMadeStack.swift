import Cairn
import Foundation

/// The stack by hand: model, coordinator, context. Opening a store may take long (it may have to be
/// migrated), so it is done on a background queue, and the user interface is told on the main one.
@MainActor public final class HandMadeStack {
    /// Usable at once; fetches and saves fail with `.noStore` until `ready` was called without an
    /// error.
    public let context: ManagedObjectContext

    /// - Parameter ready: called on the main queue, with the error if the store is not open.
    /// - Throws: where the model cannot be read.
    public init(
        modelURL: URL, storeURL: URL, storeType: StoreType = .sqlite,
        ready: @escaping @MainActor @Sendable (GraphError?) -> Void
    ) throws(GraphError) {
        let model: ManagedObjectModel
        do {
            model = try ManagedObjectModel(contentsOf: modelURL)
        } catch {
            throw .model(error)
        }
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        context = ManagedObjectContext(coordinator: coordinator)

        DispatchQueue.global(qos: .background).async {
            let failure: GraphError?
            do throws(GraphError) {
                try coordinator.addPersistentStore(ofType: storeType, at: storeURL)
                failure = nil
            } catch {
                failure = error
            }
            DispatchQueue.main.async { ready(failure) }
        }
    }
}
