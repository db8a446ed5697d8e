import Cairn
import GraphSupport

extension ContextHandle {
    /// Makes a context whose objects have classes with slots in another order than their entities'.
    ///
    /// Without this overload, tests that name no classes would run with ``ManagedObject`` alone, for
    /// which both orders are the same. One engine keeps that: another one for each seed. A test that
    /// has classes of its own passes them.
    init(coordinator: PersistentStoreCoordinator) {
        let plain = everyEngine[Int(PermutedClasses.seed % UInt64(everyEngine.count))]
        let isPlain = coordinator.persistentStores.first.map { type(of: $0).type == plain }
        self.init(
            coordinator: coordinator,
            classes: isPlain == true
                ? ObjectClasses() : PermutedClasses.classes(for: coordinator.managedObjectModel),
            name: nil)
    }
}
