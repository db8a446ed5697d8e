import CairnStore
import Foundation

private let remoteChange = ObservableName("CairnPersistentStoreRemoteChange")

extension PersistentStoreCoordinator {
    /// Posted when a store has a new state, whether it was saved by another process, another coordinator,
    /// or this one.
    ///
    /// The coordinator (the notification's `object`) posts this for stores that were added with
    /// ``StoreOption/postsRemoteChanges``. The user info has the store's identifier
    /// (``NotificationKey/storeUUID``), the URL of its file, if it has one
    /// (``NotificationKey/storeURL``), and a ``PersistentHistoryToken``
    /// (``NotificationKey/historyToken``).
    ///
    /// When the notification is posted, the new state can already be read: fetches and refreshed objects
    /// show it. Nothing is merged into contexts. Several saves in a short time may cause only one
    /// notification, and a state that is already superseded may be skipped. SQLite also counts it as a
    /// new state if another process closes the store and thereby copies its log into the database. Such a
    /// state is reported although its rows are the same.
    ///
    /// | Store | A save is noticed |
    /// |---|---|
    /// | `SQLite`, `LMDB`, `XML`, `Binary`, and other engines with files | when Linux reports that the file has changed (inotify); otherwise within five seconds |
    /// | the same engines, if a limit of inotify is reached for the user | within a second |
    /// | with a service | within a second |
    /// | `InMemory`, and other stores that only their coordinator can change | immediately |
    ///
    /// Linux does not report what another machine saved on a network file system. How a save was noticed
    /// makes no difference to what is reported, because the store itself is asked whether it has a new
    /// state.
    ///
    /// The notification is posted on a dedicated thread, which serves all stores of the process one after
    /// another. Observers should return soon, and must enter a context's turn to use objects.
    ///
    /// After the store was removed or its coordinator deallocated, no further notification is posted.
    /// Nothing is posted for a store whose file was replaced by another store.
    public static var remoteChangeNotification: Notification.Name { remoteChange.observed }

    /// Starts reporting new states of a store.
    func watch(_ attached: AttachedStore, after generation: StoreGeneration) {
        let opening = PersistentHistoryToken.Opening()
        attached.watch?.start(after: generation) { () throws(StoreError) in
            // Asks through the coordinator's view of the store, so that the row cache already knows of
            // the state when the notification is posted.
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
    /// Returns the state after which new states are reported, or `nil` if reports were not requested.
    func newestGenerationToWatch() throws(StoreError) -> StoreGeneration? {
        watch == nil ? nil : try newestGeneration()
    }
}
