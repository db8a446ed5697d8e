import Cairn

extension ContextHandle {
    /// Makes a context whose objects have classes with slots in another order than their entities'.
    ///
    /// One engine keeps ``ManagedObject`` alone, for which both orders are the same: another engine for
    /// each seed.
    package init(permuting coordinator: PersistentStoreCoordinator) {
        let plain = everyEngine[Int(PermutedClasses.seed % UInt64(everyEngine.count))]
        let isPlain = coordinator.persistentStores.first.map { type(of: $0).type == plain }
        self.init(
            coordinator: coordinator,
            classes: isPlain == true
                ? ObjectClasses() : PermutedClasses.classes(for: coordinator.managedObjectModel),
            name: nil)
    }
}
