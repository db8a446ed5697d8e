import CairnStore
import Foundation

private enum CoordinatorNotifications {
    static let willChange = ObservableName("CairnCoordinatorStoresWillChange")
    static let didChange = ObservableName("CairnCoordinatorStoresDidChange")
    static let willRemove = ObservableName("CairnCoordinatorWillRemoveStore")
}

/// Notifications, posted by the coordinator (their `object`) to `NotificationCenter.default`, on
/// the thread that changes its stores.
///
/// A kind that nobody has asked for by its name is not posted.
extension PersistentStoreCoordinator {
    /// Keys of the user info; their raw values are the keys themselves, as in Core Data.
    public enum NotificationKey: String, Sendable, CaseIterable {
        /// `[any PersistentStore]`: added, or about to be.
        case addedStores = "added"
        /// `[any PersistentStore]`: removed, or about to be.
        case removedStores = "removed"
        /// `[any PersistentStore]`: the old store and the new one, if one replaced the other:
        /// see `migratePersistentStore`. The other keys have them, too.
        case uuidChangedStores = "changed"
        /// `String`: the identifier of the store that has a new state.
        case storeUUID = "NSStoreUUID"
        /// `URL`: the file of the store that has a new state.
        case storeURL = "storeURL"
        /// ``PersistentHistoryToken``: the new state.
        case historyToken = "historyToken"
    }

    /// Stores are about to be added or removed. Contexts may still save to those that are removed.
    public static var storesWillChangeNotification: Notification.Name {
        CoordinatorNotifications.willChange.observed
    }

    /// Stores were added, removed or exchanged. Contexts take notice with their next turn or call.
    public static var storesDidChangeNotification: Notification.Name {
        CoordinatorNotifications.didChange.observed
    }

    /// One store is about to be removed. Its `object` is the store.
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
