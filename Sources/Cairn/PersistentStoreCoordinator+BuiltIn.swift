import CairnModel
import CairnStack
import CairnStore
import CairnThreads
import Foundation

extension PersistentStoreCoordinator {
    /// Creates a coordinator that opens stores with all built-in engines.
    ///
    /// - Parameters:
    ///   - model: The model of the stores that the coordinator opens.
    ///   - executor: The executor that provides the threads for the contexts' turns. Coordinators may share
    ///     an executor.
    public convenience init(
        managedObjectModel model: ManagedObjectModel, executor: TurnExecutor = TurnExecutor()
    ) {
        self.init(managedObjectModel: model, registry: .builtIn, executor: executor)
    }

    /// Reads a store's metadata without opening the store, with all built-in engines.
    ///
    /// - Throws: `.store` with `.unknownType`, `.notFound`, `.notAStore`, `.unsupported`, `.busy`,
    ///   `.corrupt`, `.fileFailure` or `.engineFailure`.
    public static func metadataForPersistentStore(
        ofType type: StoreType, at url: URL
    ) throws(GraphError) -> StoreMetadata {
        try metadataForPersistentStore(ofType: type, at: url, registry: .builtIn)
    }
}
