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

    /// Has the save put a new object into a store, if several could take it.
    ///
    /// Without a call, the save puts a new object into the default store of its entity: the first store
    /// of the coordinator, in the order in which stores were added, that is not read-only, whose
    /// configuration has the entity, and that was not written before the model had it. The relationships
    /// of the object do not influence the choice, so assign it to the store of the objects that it is
    /// related to. A later call replaces an earlier one. An object that has a permanent ID, or was saved,
    /// has its store for good.
    ///
    /// - Throws: `.wrongContext`; `.storeIsFixed` for an object that has its store; `.unknownStore` if
    ///   the store belongs to another coordinator or was removed; `.entityNotTaken` if the store's
    ///   configuration does not have the entity, or the store was written before the model had it;
    ///   `.store(.readOnly)`; `.wrongThread`. The object stays assigned as it was.
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
