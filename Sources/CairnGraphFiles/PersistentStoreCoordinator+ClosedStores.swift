import CairnStack
import CairnStore
import CairnStoreCopying
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
    /// - Throws: `.storesAreNotFiles`, `.store(.unknownType)`.
    func fileEngine(ofType type: StoreType) throws(StoreCopyError) -> any FileStore.Type {
        let engine: any PersistentStore.Type
        do throws(StoreError) {
            engine = try registry.engine(ofType: type)
        } catch {
            throw .store(error)
        }
        guard let engine = engine as? any FileStore.Type else { throw .storesAreNotFiles(type) }
        return engine
    }

    /// Returns the `GraphError` for a store that could not be moved or replaced. If a file belongs to
    /// another engine, the error names that engine.
    func error(ofCopy error: StoreCopyError) -> GraphError {
        guard case .store(let error) = error else { return GraphError(ofCopy: error) }
        return GraphError(ofStore: registry.namingForeignFile(in: error))
    }
}
