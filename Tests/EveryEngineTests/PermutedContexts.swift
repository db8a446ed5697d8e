import Cairn
import GraphSupport

extension ContextHandle {
    /// Creates a context whose objects have classes that order their slots differently from their entities.
    ///
    /// Without this overload, tests that name no classes would only use ``ManagedObject``, for which both
    /// orders are the same. Tests with their own classes pass them explicitly.
    init(coordinator: PersistentStoreCoordinator) {
        self.init(permuting: coordinator)
    }
}
