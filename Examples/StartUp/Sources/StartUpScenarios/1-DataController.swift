import Cairn
import Foundation

/// The usual start: a controller makes a container by the model's name, has it load its stores, and
/// calls back when that is done.
public final class DataController: Sendable {
    private let container: PersistentContainer

    /// - Parameters:
    ///   - stores: what to open. `nil` opens one SQLite file in `directory`, named after the model.
    ///   - completion: called once for each store, with the error if it is not open.
    /// - Throws: where there is no model of that name, with the places that were searched.
    public init(
        modelName: String, bundle: Bundle = Models.bundle, directory: URL,
        stores: [StoreDescription]? = nil,
        completion: @escaping @Sendable (GraphError?) -> Void
    ) throws(GraphError) {
        container = try PersistentContainer(
            name: modelName, bundles: [bundle], directory: directory)
        if let stores { container.persistentStoreDescriptions = stores }
        container.loadPersistentStores { _, error in completion(error) }
    }

    /// For the user interface.
    @MainActor public var viewContext: ManagedObjectContext { container.viewContext }

    /// For work that the user does not wait for.
    public func inBackground<Result: Sendable>(
        _ work: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await container.performBackgroundTask(work)
    }
}
