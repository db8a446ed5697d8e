import CairnModel
import CairnStore

/// A closed store, and the version of the model that it is to have.
package struct StoreToMigrate: Sendable {
    /// The engine of the store.
    package var engine: any FileStore.Type
    /// The name by which the program knows the engine.
    package var type: StoreType
    /// How the store is opened with the new version.
    package var request: OpenRequest

    /// Names a store.
    package init(engine: any FileStore.Type, type: StoreType, request: OpenRequest) {
        self.engine = engine
        self.type = type
        self.request = request
    }
}
