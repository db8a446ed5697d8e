import CairnGraph
import CairnModel
import CairnStore
import CairnThreads
import Foundation

extension PersistentStoreCoordinator {
    /// Makes a coordinator that opens stores with every built-in engine.
    ///
    /// - Parameter executor: the threads of contexts' turns; coordinators may share one.
    public convenience init(
        managedObjectModel model: ManagedObjectModel, executor: TurnExecutor = TurnExecutor()
    ) {
        self.init(managedObjectModel: model, registry: .builtIn, executor: executor)
    }

    /// Reads a store's metadata without opening it, with every built-in engine.
    ///
    /// - Throws: `.store`: `.unknownType`, `.notFound`, `.notAStore`, `.unsupported`, `.busy`,
    ///   `.corrupt`, `.fileFailure`, `.engineFailure`.
    public static func metadataForPersistentStore(
        ofType type: StoreType, at url: URL
    ) throws(GraphError) -> StoreMetadata {
        try metadataForPersistentStore(ofType: type, at: url, registry: .builtIn)
    }
}
