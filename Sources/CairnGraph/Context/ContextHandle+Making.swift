import CairnModel
import CairnStore

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

    /// Makes a private-queue context whose objects come from another context, and whose saves go
    /// there; see ``ManagedObjectContext/init(parent:)``.
    ///
    /// A call of the child that needs the parent waits for the parent's turn: never wait for the
    /// child in there from another thread.
    ///
    /// - Parameter name: for messages, and for the store's history.
    public init(parent: ContextHandle, name: String? = nil) {
        let inbox = ContextInbox()
        self.init(
            ManagedObjectContext(
                source: ParentSource(parent, for: inbox), concurrencyType: .privateQueue,
                name: name, classes: parent.objectClasses, inbox: inbox))
    }
}
