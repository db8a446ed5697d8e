import CairnGraphFiles
import CairnModel

extension MigrationManager {
    /// Creates a manager for migrations between versions of a model, with all built-in engines. No store is
    /// opened.
    ///
    /// - Parameters:
    ///   - sourceModel: The version with which the stores were written. If `nil`, it is determined for each
    ///     store.
    ///   - destinationModel: The version to migrate the stores to.
    ///   - history: The versions that the program contains.
    ///   - usesStoreSpecificMigrationManager: Whether an engine may migrate a store in place.
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
