import CairnGraph
import CairnGraphFiles
import CairnModel

extension MigrationManager {
    /// Names the versions, with every built-in engine; touches no store.
    ///
    /// - Parameters:
    ///   - sourceModel: the version that the stores were written with. `nil` if it is to be found.
    ///   - destinationModel: the version that the stores are to have.
    ///   - history: the versions that the program has.
    ///   - usesStoreSpecificMigrationManager: whether an engine may change a store in place.
    public convenience init(
        sourceModel: ManagedObjectModel? = nil, destinationModel: ManagedObjectModel,
        history: ModelHistory = ModelHistory(), usesStoreSpecificMigrationManager: Bool = true
    ) {
        self.init(
            sourceModel: sourceModel, destinationModel: destinationModel, history: history,
            usesStoreSpecificMigrationManager: usesStoreSpecificMigrationManager, registry: .builtIn
        )
    }
}
