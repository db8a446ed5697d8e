import CairnStore
import Foundation

private let remoteChange = ObservableName("CairnPersistentStoreRemoteChange")

extension PersistentStoreCoordinator {
    /// A store has a new state, whoever saved it: another process, another coordinator, or this one.
    ///
    /// Posted for stores that were added with ``StoreOption/postsRemoteChanges``, by the coordinator (its
    /// `object`). The user info has the store's identifier (``NotificationKey/storeUUID``), the URL of
    /// its file, if it has one (``NotificationKey/storeURL``), and a ``PersistentHistoryToken``
    /// (``NotificationKey/historyToken``).
    ///
    /// Whoever gets the notification can read the new state: fetches show it, and so do objects that are
    /// refreshed. Nothing is merged into contexts. Several saves in a short time may be one notification,
    /// and a state that is not the newest any more may go without one. SQLite counts it as a new state,
    /// too, if another process closes the store and so brings its log over: such a state is reported
    /// although it has the same rows.
    ///
    /// | Store | A save is noticed |
    /// |---|---|
    /// | `SQLite`, `LMDB`, `XML`, `Binary`, and other engines with files | when Linux tells that the file has changed (inotify); otherwise within five seconds |
    /// | the same if Linux tells nothing, because the user may have no more watchers | within a second |
    /// | with a service | within a second |
    /// | `InMemory`, and other stores that only their coordinator can change | at once |
    ///
    /// Linux does not tell of what another machine saved on a network file system. How a save was noticed
    /// makes no difference to what is reported: the store itself is asked whether it has a new state.
    ///
    /// The notification comes on a thread of its own that serves all stores of the process, one after
    /// another: return soon, and enter a context's turn to use objects.
    ///
    /// When the store is removed or its coordinator is gone, no notification is begun any more. Nothing
    /// is posted for a store whose file was replaced by another store.
    public static var remoteChangeNotification: Notification.Name { remoteChange.observed }

    /// Begins to report states of a store.
    func watch(_ attached: AttachedStore, after generation: StoreGeneration) {
        let opening = PersistentHistoryToken.Opening()
        attached.watch?.start(after: generation) { () throws(StoreError) in
            // Through the coordinator's view of the store, so that its row cache knows of the state
            // when the notification comes.
            try attached.newestGeneration()
        } reporting: { [weak self] generation in
            guard let self else { return }
            let token = PersistentHistoryToken(
                storeIdentifier: attached.identifier, opening: opening, generation: generation)
            remoteChange.post(from: self) {
                var info: [AnyHashable: Any] = [
                    NotificationKey.storeUUID.rawValue: attached.identifier,
                    NotificationKey.historyToken.rawValue: token,
                ]
                info[NotificationKey.storeURL.rawValue] = attached.store.url
                return info
            }
        }
    }
}

extension AttachedStore {
    /// Returns the state after which new ones are to be reported. Returns `nil` if nobody asked for reports.
    func newestGenerationToWatch() throws(StoreError) -> StoreGeneration? {
        watch == nil ? nil : try newestGeneration()
    }
}

extension Notification.Name {
    /// Core Data's name of ``PersistentStoreCoordinator/remoteChangeNotification``.
    public static var PersistentStoreRemoteChange: Notification.Name {
        PersistentStoreCoordinator.remoteChangeNotification
    }
}
