import Cairn
import GraphSupport

extension ContextHandle {
    /// Makes a context whose objects have classes with slots in another order than their entities'.
    ///
    /// Without this overload, tests that name no classes would run with ``ManagedObject`` alone, for
    /// which both orders are the same. A test that has classes of its own passes them.
    init(coordinator: PersistentStoreCoordinator) {
        self.init(permuting: coordinator)
    }
}
