import Cairn

extension StoreRegistry {
    /// Returns a copy of the registry in which each engine is wrapped by `FaultInjectingStore`.
    /// The types stay the same.
    ///
    /// Stores that are opened with the ``CairnTesting/StoreFaults/options`` of an object are controlled by
    /// that object.
    /// Engines that were registered for the whole process are not wrapped.
    public func injectingFaults() -> StoreRegistry {
        var registry = self
        for type in types {
            guard let engine = try? engine(ofType: type) else { continue }
            registry.register(Self.wrapped(engine), type: type)
        }
        return registry
    }

    private static func wrapped<Base: PersistentStore>(
        _ engine: Base.Type
    ) -> any PersistentStore.Type {
        FaultInjectingStore<Base>.self
    }
}
