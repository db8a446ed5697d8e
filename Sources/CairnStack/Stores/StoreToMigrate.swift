import CairnModel
import CairnStore

/// A closed store, and the version of the model to which it is migrated.
package struct StoreToMigrate: Sendable {
    /// The engine of the store.
    package var engine: any FileStore.Type
    /// The type under which the program knows the engine.
    package var type: StoreType
    /// The request for opening the store with the new version.
    package var request: OpenRequest

    /// Creates a description of a store to migrate.
    package init(engine: any FileStore.Type, type: StoreType, request: OpenRequest) {
        self.engine = engine
        self.type = type
        self.request = request
    }
}
