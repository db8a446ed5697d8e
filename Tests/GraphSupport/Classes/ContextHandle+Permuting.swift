import Cairn

extension ContextHandle {
    /// Creates a context whose objects have classes that order their slots differently from their entities.
    ///
    /// One engine, which depends on the seed, uses plain ``ManagedObject``s, for which both orders are the
    /// same.
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
