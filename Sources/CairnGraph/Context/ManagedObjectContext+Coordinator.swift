import CairnModel
import CairnStore

extension ManagedObjectContext {
    /// Makes a main-queue context on a coordinator.
    ///
    /// - Parameter classes: the Swift classes of the model's entities.
    @MainActor public convenience init(
        coordinator: PersistentStoreCoordinator, classes: ObjectClasses = ObjectClasses()
    ) {
        self.init(mainQueueOn: coordinator, classes: classes)
    }

    /// Stores a new object in that store, where several could take it.
    ///
    /// - Throws: `.wrongContext`, `.wrongThread`.
    public func assign(
        _ object: ManagedObject, to store: any PersistentStore
    ) throws(GraphError) {
        try assign(object, to: store.number)
    }
}

extension ContextHandle {
    /// Makes a private-queue context on a coordinator.
    ///
    /// - Parameters:
    ///   - classes: the Swift classes of the model's entities.
    ///   - name: for messages, and for the store's history.
    public init(
        coordinator: PersistentStoreCoordinator, classes: ObjectClasses = ObjectClasses(),
        name: String? = nil
    ) {
        self.init(
            ManagedObjectContext(
                source: coordinator, concurrencyType: .privateQueue, name: name, classes: classes))
    }
}
