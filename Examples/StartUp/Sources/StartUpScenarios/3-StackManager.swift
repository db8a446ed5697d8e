import Cairn
import Foundation

/// One's own stack manager: a model's name goes in, a context comes out, everything between is
/// made when it is first needed and is nobody else's business.
@MainActor public final class StackManager {
    private let modelName: String
    private let models: ModelLocator
    private let folder: URL

    /// - Parameters:
    ///   - bundle: where the model is.
    ///   - folder: where the store `<modelName>.sqlite` is to be.
    public init(modelName: String, bundle: Bundle = Models.bundle, folder: URL) {
        self.modelName = modelName
        models = ModelLocator(bundles: [bundle])
        self.folder = folder
    }

    /// The context of the whole program; made, with all below it, when first asked for.
    ///
    /// - Throws: where the model is missing or the store cannot be opened, in words for the user.
    ///   Asking again tries again.
    public var context: ManagedObjectContext {
        get throws(GraphError) {
            if let made { return made }
            let context = ManagedObjectContext(coordinator: try makeCoordinator())
            made = context
            return context
        }
    }

    private var made: ManagedObjectContext?

    private func makeCoordinator() throws(GraphError) -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try findModel())
        try coordinator.addPersistentStore(
            ofType: .sqlite, at: folder.appending(path: "\(modelName).sqlite"),
            options: [.migratesAutomatically: true, .infersMappingModel: true])
        return coordinator
    }

    private func findModel() throws(GraphError) -> ManagedObjectModel {
        do {
            return try models.model(named: modelName)
        } catch {
            throw .model(error)
        }
    }
}
