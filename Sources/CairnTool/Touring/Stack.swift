import Cairn
import Foundation

/// A coordinator with one store, and a context.
struct Stack {
    let coordinator: PersistentStoreCoordinator
    let store: any PersistentStore
    let context: ContextHandle

    /// Opens the store. Only the store's type in this call differs between engines.
    init(
        model: ManagedObjectModel, type: StoreType, url: URL?, options: StoreOptions = [:]
    ) throws {
        coordinator = PersistentStoreCoordinator(managedObjectModel: model, registry: .builtIn)
        store = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: url, options: options)
        context = ContextHandle(source: coordinator)
    }

    private init(_ other: Stack) {
        coordinator = other.coordinator
        store = other.store
        context = ContextHandle(source: other.coordinator)
    }

    /// Returns the same stack with a new, empty context.
    func withFreshContext() -> Stack { Stack(self) }
}
