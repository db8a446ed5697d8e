import CairnModel
import Foundation

extension StoreMetadata {
    /// The metadata of a store that is being created, with a new identifier and the entities of the
    /// model.
    public init(creating type: StoreType, model: ManagedObjectModel) {
        self.init(
            identifier: UUID().uuidString, type: type,
            entityVersionHashes: model.entityVersionHashes,
            modelVersionIdentifiers: model.description.versionIdentifiers.sorted())
    }
}
