import CairnGraph
import CairnStore
import Foundation

extension PersistentStoreCoordinator {
    /// Checks that the store at a URL is not in this coordinator.
    ///
    /// - Throws: `.storeAlreadyAdded`.
    func requireNotAdded(_ url: URL) throws(GraphError) {
        guard persistentStore(for: url) != nil else { return }
        throw .storeAlreadyAdded(.file(url.resolvedForComparison))
    }

    /// Returns the engine of a type whose stores are files.
    ///
    /// - Throws: `.keepsNoFiles`, `.store(.unknownType)`.
    func fileEngine(ofType type: StoreType) throws(GraphError) -> any PersistentStore.Type {
        let engine = try GraphError.translating { () throws(StoreError) in
            try registry.engine(ofType: type)
        }
        guard engine.capabilities.isDurable else {
            throw .keepsNoFiles(type)
        }
        return engine
    }
}
