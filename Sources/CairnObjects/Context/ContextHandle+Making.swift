import CairnModel
import CairnStack

extension ContextHandle {
    /// Creates a private-queue context that uses a coordinator.
    ///
    /// - Parameters:
    ///   - coordinator: The coordinator that the context fetches from and saves to.
    ///   - classes: The Swift classes of the model's entities.
    ///   - name: The context's name in messages and in the store's history.
    public init(
        coordinator: PersistentStoreCoordinator, classes: ObjectClasses = ObjectClasses(),
        name: String? = nil
    ) {
        self.init(
            ManagedObjectContext(
                source: coordinator, concurrencyType: .privateQueue, name: name, classes: classes))
    }

    /// Creates a private-queue context whose objects come from another context and whose saves go to
    /// that context. See ``ManagedObjectContext/init(parent:)``.
    ///
    /// A call of the child that needs the parent waits for a turn of the parent. A turn of the parent
    /// must therefore never wait for another thread that uses the child.
    ///
    /// - Parameters:
    ///   - parent: The context that the new context fetches from and saves to. It is kept alive.
    ///   - name: The context's name in messages and in the store's history.
    public init(parent: ContextHandle, name: String? = nil) {
        let inbox = ContextInbox()
        self.init(
            ManagedObjectContext(
                source: ParentSource(parent, for: inbox), concurrencyType: .privateQueue,
                name: name, classes: parent.objectClasses, inbox: inbox))
    }
}
