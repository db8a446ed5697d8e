import CairnModel
import CairnStore
import Foundation

extension StoreMetadata {
    /// Creates the metadata of a store that is being created, with the entities of the model.
    ///
    /// - Parameters:
    ///   - type: the type that the engine is registered with.
    ///   - model: the model that the store is created with.
    ///   - identifier: the identifier that the request names. If `nil`, the store gets a new
    ///     identifier.
    public init(
        creating type: StoreType, model: ManagedObjectModel, identifier: String? = nil
    ) {
        self.init(
            identifier: identifier ?? UUID().uuidString, type: type,
            entityVersionHashes: model.entityVersionHashes,
            modelVersionIdentifiers: model.description.versionIdentifiers.sorted())
    }
}
