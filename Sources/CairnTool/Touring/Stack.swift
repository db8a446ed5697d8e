import Cairn
import Foundation

/// One coordinator with one store, and a context on it.
struct Stack {
    let coordinator: PersistentStoreCoordinator
    let store: any PersistentStore
    let context: ContextHandle

    /// Picks the engine by its type string: the one call that differs between engines.
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

    /// A context that holds no object yet, on the same store.
    func withFreshContext() -> Stack { Stack(self) }
}
