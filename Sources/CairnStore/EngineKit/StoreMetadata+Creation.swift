import CairnModel
import Foundation

extension StoreMetadata {
    /// The metadata of a store that is being created, with a new identifier and the entities of the
    /// model.
    ///
    /// - Parameter identifier: what the request names. `nil` means a new one.
    public init(
        creating type: StoreType, model: ManagedObjectModel, identifier: String? = nil
    ) {
        self.init(
            identifier: identifier ?? UUID().uuidString, type: type,
            entityVersionHashes: model.entityVersionHashes,
            modelVersionIdentifiers: model.description.versionIdentifiers.sorted())
    }
}
