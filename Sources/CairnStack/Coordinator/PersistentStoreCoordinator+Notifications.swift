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
