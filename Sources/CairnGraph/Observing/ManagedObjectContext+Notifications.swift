import CairnModel
import Foundation

/// The names under which contexts post, all of the process.
private enum ContextNotifications {
    static let didChange = ObservableName("CairnContextDidChangeObjects")
    static let willSave = ObservableName("CairnContextWillSaveObjects")
    static let didSave = ObservableName("CairnContextDidSaveObjects")
    static let didSaveIDs = ObservableName("CairnContextDidSaveObjectIDs")
    static let didMergeIDs = ObservableName("CairnContextDidMergeChangesObjectIDs")
}

/// Notifications, posted by the context (their `object`) to `NotificationCenter.default`.
///
/// They are posted inside of the context's turn, on its thread, in this order: the event before the
/// save, will-save, what hooks changed, did-save. Those with objects are for the context's own
/// turn; those with IDs may be handed on. A kind that nobody has asked for by its name is not
/// posted, and costs nothing.
extension ManagedObjectContext {
    /// Keys of the user info; their raw values are the keys themselves, as in Core Data.
    public enum NotificationKey: String, Sendable, CaseIterable {
        /// `Set<ManagedObject>`: not there before.
        case insertedObjects = "inserted"
        /// `Set<ManagedObject>`: with changed values or relationships.
        case updatedObjects = "updated"
        /// `Set<ManagedObject>`: not there any more.
        case deletedObjects = "deleted"
        /// `Set<ManagedObject>`: with the values of their store again.
        case refreshedObjects = "refreshed"
        /// `Set<ManagedObject>`: without their values, and perhaps not in their store any more.
        case invalidatedObjects = "invalidated"
        /// `true` where the context let go of all of its objects.
        case invalidatedAllObjects = "invalidatedAll"
        /// `Set<ObjectID>`: inserted.
        case insertedObjectIDs = "inserted_objectIDs"
        /// `Set<ObjectID>`: updated.
        case updatedObjectIDs = "updated_objectIDs"
        /// `Set<ObjectID>`: deleted.
        case deletedObjectIDs = "deleted_objectIDs"
        /// `Set<ObjectID>`: refreshed.
        case refreshedObjectIDs = "refreshed_objectIDs"
        /// `Set<ObjectID>`: invalidated.
        case invalidatedObjectIDs = "invalidated_objectIDs"
        /// ``QueryGenerationToken``: what a pinned context reads after the save or the merge. Absent
        /// if the context is not pinned.
        case queryGeneration = "newQueryGeneration"
    }

    /// An event with changes has ended. Has sets of objects; a set without members is absent.
    ///
    /// Objects that were inserted elsewhere and merged are in the inserted set, as faults.
    public static var didChangeObjectsNotification: Notification.Name {
        ContextNotifications.didChange.observed
    }

    /// A save begins. Has no user info. Objects may still be changed.
    public static var willSaveObjectsNotification: Notification.Name {
        ContextNotifications.willSave.observed
    }

    /// A save has succeeded. Has the sets of inserted, updated and deleted objects, empty ones too,
    /// and the query generation of a pinned context.
    public static var didSaveObjectsNotification: Notification.Name {
        ContextNotifications.didSave.observed
    }

    /// A save has succeeded. Has the sets of inserted, updated and deleted IDs, empty ones too, and
    /// the query generation of a pinned context.
    public static var didSaveObjectIDsNotification: Notification.Name {
        ContextNotifications.didSaveIDs.observed
    }

    /// Changes of others were merged. Has sets of IDs, and the query generation of a pinned context.
    /// A set without members is absent. The objects whose values are newer now are in the refreshed set,
    /// and those of them that others updated are in the updated set, too.
    public static var didMergeChangesObjectIDsNotification: Notification.Name {
        ContextNotifications.didMergeIDs.observed
    }

    func postDidChange(_ changes: EventChanges) {
        ContextNotifications.didChange.post(from: self) {
            var info = UserInfo()
            let arrivals = (changes.merged?.arrivals ?? []).compactMap(registeredOrFault)
            info.add(changes.inserted + arrivals, .insertedObjects)
            info.add(changes.updated, .updatedObjects)
            info.add(changes.deleted, .deletedObjects)
            info.add(changes.refreshed, .refreshedObjects)
            info.add(changes.invalidated, .invalidatedObjects)
            if changes.invalidatesAll {
                info.values[NotificationKey.invalidatedAllObjects.rawValue] = true
            }
            return info.values
        }
    }

    func postWillSave() {
        ContextNotifications.willSave.post(from: self) { [:] }
    }

    func postDidSave(_ changes: SavedChanges) {
        ContextNotifications.didSave.post(from: self) {
            var info = commonUserInfo
            info.values[NotificationKey.insertedObjects.rawValue] = Set(changes.inserted)
            info.values[NotificationKey.updatedObjects.rawValue] = Set(changes.updated)
            info.values[NotificationKey.deletedObjects.rawValue] = Set(changes.deleted)
            return info.values
        }
        ContextNotifications.didSaveIDs.post(from: self) {
            let ids = ObjectIDChanges(changes)
            var info = commonUserInfo
            info.values[NotificationKey.insertedObjectIDs.rawValue] = ids.inserted
            info.values[NotificationKey.updatedObjectIDs.rawValue] = ids.updated
            info.values[NotificationKey.deletedObjectIDs.rawValue] = ids.deleted
            return info.values
        }
    }

    /// Tells streams and notifications what was merged from the saves of others.
    func announceMerge(_ changes: ObjectIDChanges) {
        streams.merges.send { changes }
        ContextNotifications.didMergeIDs.post(from: self) {
            var info = commonUserInfo
            info.add(changes.inserted, .insertedObjectIDs)
            info.add(changes.updated, .updatedObjectIDs)
            info.add(changes.deleted, .deletedObjectIDs)
            info.add(changes.refreshed, .refreshedObjectIDs)
            info.add(changes.invalidated, .invalidatedObjectIDs)
            return info.values
        }
    }

    /// What notifications of saves and merges have in common.
    private var commonUserInfo: UserInfo {
        var info = UserInfo()
        if let queryGenerationToken {
            info.values[NotificationKey.queryGeneration.rawValue] = queryGenerationToken
        }
        return info
    }
}

private struct UserInfo {
    var values: [AnyHashable: Any] = [:]

    mutating func add(
        _ objects: [ManagedObject], _ key: ManagedObjectContext.NotificationKey
    ) {
        if !objects.isEmpty { values[key.rawValue] = Set(objects) }
    }

    mutating func add(_ ids: Set<ObjectID>, _ key: ManagedObjectContext.NotificationKey) {
        if !ids.isEmpty { values[key.rawValue] = ids }
    }
}
