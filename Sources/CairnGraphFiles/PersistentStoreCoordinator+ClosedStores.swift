import CairnGraph
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
    /// - Throws: `.keepsNoFiles`, `.store(.unknownType)`.
    func fileEngine(ofType type: StoreType) throws(GraphError) -> any FileStore.Type {
        let engine = try GraphError.translating { () throws(StoreError) in
            try registry.engine(ofType: type)
        }
        guard let engine = engine as? any FileStore.Type else { throw .keepsNoFiles(type) }
        return engine
    }

    /// Runs a body that moves or replaces stores. If a file is another engine's, the error says which.
    ///
    /// - Throws: each reason of the body as the case that says the same.
    func translating<Result>(
        _ body: () throws(StoreCopyError) -> Result
    ) throws(GraphError) -> Result {
        do throws(GraphError) {
            return try GraphError.translating(body)
        } catch .store(let error) {
            throw .store(registry.namingForeignFile(in: error))
        } catch {
            throw error
        }
    }
}
