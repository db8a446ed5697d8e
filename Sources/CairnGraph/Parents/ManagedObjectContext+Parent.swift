import CairnModel
import CairnStore

extension ManagedObjectContext {
    /// Makes a main-queue context whose objects come from another context, and whose saves go there.
    ///
    /// Its fetches see what the parent has not saved, and its save makes its changes the parent's:
    /// they are in no store before the parent saves, or the last one of a line of parents. New
    /// objects keep their temporary IDs until then, or until
    /// ``ManagedObjectContext/obtainPermanentIDs(for:)``; permanent ones arrive with the next call
    /// or turn of the child. The parent lives as long as the child.
    @MainActor public convenience init(parent: ContextHandle) {
        let inbox = ContextInbox()
        self.init(
            source: ParentSource(parent, for: inbox), concurrencyType: .mainQueue,
            name: "main child", classes: parent.objectClasses, inbox: inbox)
        queue.ownerLock.bind(to: currentThreadNumber())
    }
}

extension ContextHandle {
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
