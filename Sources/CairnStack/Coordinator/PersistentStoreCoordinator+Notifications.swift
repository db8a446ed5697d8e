import CairnStore
import Foundation

private enum CoordinatorNotifications {
    static let willChange = ObservableName("CairnCoordinatorStoresWillChange")
    static let didChange = ObservableName("CairnCoordinatorStoresDidChange")
    static let willRemove = ObservableName("CairnCoordinatorWillRemoveStore")
}

/// Notifications that the coordinator (their `object`) posts to `NotificationCenter.default`, on the
/// thread that changes its stores.
///
/// A notification is posted only if some code has requested its name.
extension PersistentStoreCoordinator {
    /// Keys of the user info. In the user info, the raw values are used, as in Core Data.
    public enum NotificationKey: String, Sendable, CaseIterable {
        /// `[any PersistentStore]`: the stores that were added or are about to be added.
        case addedStores = "added"
        /// `[any PersistentStore]`: the stores that were removed or are about to be removed.
        case removedStores = "removed"
        /// `[any PersistentStore]`: the old store and the new one, if one replaced the other; see
        /// `migratePersistentStore`. The two stores are also under the other keys.
        case uuidChangedStores = "changed"
        /// `String`: the identifier of the store that has a new state.
        case storeUUID = "NSStoreUUID"
        /// `URL`: the file of the store that has a new state.
        case storeURL = "storeURL"
        /// ``PersistentHistoryToken``: the new state.
        case historyToken = "historyToken"
    }

    /// Posted before stores are added or removed. Contexts can still save to the stores that are about to
    /// be removed.
    public static var storesWillChangeNotification: Notification.Name {
        CoordinatorNotifications.willChange.observed
    }

    /// Posted after stores were added, removed or exchanged. Contexts are updated in their next turn or
    /// call.
    public static var storesDidChangeNotification: Notification.Name {
        CoordinatorNotifications.didChange.observed
    }

    /// Posted before a store is removed. The notification's `object` is the store.
    public static var willRemoveStoreNotification: Notification.Name {
        CoordinatorNotifications.willRemove.observed
    }

    func announceStoresWillChange(
        added: [any PersistentStore] = [], removed: [any PersistentStore] = []
    ) {
        CoordinatorNotifications.willChange.post(from: self) { Self.info(added, removed) }
        for store in removed { CoordinatorNotifications.willRemove.post(from: store) { [:] } }
    }

    func announceStoresDidChange(
        added: [any PersistentStore] = [], removed: [any PersistentStore] = [],
        exchanged: [any PersistentStore] = []
    ) {
        CoordinatorNotifications.didChange.post(from: self) {
            var info = Self.info(added, removed)
            if !exchanged.isEmpty { info[NotificationKey.uuidChangedStores.rawValue] = exchanged }
            return info
        }
    }

    private static func info(
        _ added: [any PersistentStore], _ removed: [any PersistentStore]
    ) -> [AnyHashable: Any] {
        var info: [AnyHashable: Any] = [:]
        if !added.isEmpty { info[NotificationKey.addedStores.rawValue] = added }
        if !removed.isEmpty { info[NotificationKey.removedStores.rawValue] = removed }
        return info
    }
}

private let remoteChange = ObservableName("CairnPersistentStoreRemoteChange")

extension PersistentStoreCoordinator {
    /// Posted when a store has a new state, whether it was saved by another process, another coordinator,
    /// or this one.
    ///
    /// The coordinator (the notification's `object`) posts this for stores that were added with
    /// ``StoreOption/postsRemoteChanges``. The user info has the store's identifier
    /// (``NotificationKey/storeUUID``), the URL of its file, if it has one
    /// (``NotificationKey/storeURL``), and a ``PersistentHistoryToken``
    /// (``NotificationKey/historyToken``). If the store keeps a history, the token is that of the newest
    /// transaction: fetch the history after the last token that was handled. Otherwise, the token can
    /// only be compared with others of the same store.
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
        let period = UInt64.random(in: .min ... .max)
        attached.watch?.start(after: generation) { () throws(StoreError) in
            // Asks through the coordinator's view of the store, so that the row cache already knows of
            // the state when the notification is posted.
            try attached.newestGeneration()
        } reporting: { [weak self] generation in
            guard let self else { return }
            let token = attached.token(generation, in: period)
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
    /// Returns the token of a new state: the newest position of the history, or the state itself if the
    /// store keeps no history.
    fileprivate func token(
        _ generation: StoreGeneration, in period: UInt64
    ) -> PersistentHistoryToken {
        let newest = try? (store as? any HistoryStore)?.newestHistoryPosition()
        if let newest { return PersistentHistoryToken([identifier: newest]) }
        let state = HistoryPosition(
            number: Int64(truncatingIfNeeded: generation.rawValue), mark: period)
        return PersistentHistoryToken(states: [identifier: state])
    }

    /// Returns the state after which new states are reported, or `nil` if reports were not requested.
    func newestGenerationToWatch() throws(StoreError) -> StoreGeneration? {
        watch == nil ? nil : try newestGeneration()
    }
}
