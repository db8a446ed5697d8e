import CairnModel
import CairnStack
import Foundation

/// The names of the notifications that contexts post, and functions that post them.
enum ContextNotifications {
    static let didChange = ObservableName("CairnContextDidChangeObjects")
    static let willSave = ObservableName("CairnContextWillSaveObjects")
    static let didSave = ObservableName("CairnContextDidSaveObjects")
    static let didSaveIDs = ObservableName("CairnContextDidSaveObjectIDs")
    static let didMergeIDs = ObservableName("CairnContextDidMergeChangesObjectIDs")

    static func postDidChange(_ changes: EventChanges, in context: ManagedObjectContext) {
        didChange.post(from: context) {
            var info = UserInfo()
            let arrivals = (changes.merged?.arrivals ?? []).compactMap(context.registeredOrFault)
            info.add(changes.inserted + arrivals, .insertedObjects)
            info.add(changes.updated, .updatedObjects)
            info.add(changes.deleted, .deletedObjects)
            info.add(changes.refreshed, .refreshedObjects)
            info.add(changes.invalidated, .invalidatedObjects)
            if changes.invalidatesAll {
                info[.invalidatedAllObjects] = true
            }
            return info.values
        }
    }

    static func postWillSave(in context: ManagedObjectContext) {
        willSave.post(from: context) { [:] }
    }

    static func postDidSave(_ changes: EventChanges, in context: ManagedObjectContext) {
        didSave.post(from: context) {
            var info = UserInfo(of: context)
            info[.insertedObjects] = Set(changes.inserted)
            info[.updatedObjects] = Set(changes.updated)
            info[.deletedObjects] = Set(changes.deleted)
            // For contexts that merge the notification, because no object has the former IDs.
            info.add(Set(changes.formerIDs.keys.map(\.objectID)), .insertedObjectIDs)
            info.add(Set(changes.formerIDs.values), .deletedObjectIDs)
            return info.values
        }
        didSaveIDs.post(from: context) {
            let ids = ObjectIDChanges(changes)
            var info = UserInfo(of: context)
            info[.insertedObjectIDs] = ids.inserted
            info[.updatedObjectIDs] = ids.updated
            info[.deletedObjectIDs] = ids.deleted
            return info.values
        }
    }

    static func postDidMerge(_ changes: ObjectIDChanges, in context: ManagedObjectContext) {
        didMergeIDs.post(from: context) {
            var info = UserInfo(of: context)
            info.add(changes.inserted, .insertedObjectIDs)
            info.add(changes.updated, .updatedObjectIDs)
            info.add(changes.deleted, .deletedObjectIDs)
            info.add(changes.refreshed, .refreshedObjectIDs)
            info.add(changes.invalidated, .invalidatedObjectIDs)
            return info.values
        }
    }
}

/// The user info of a notification that is being posted.
private struct UserInfo {
    private(set) var values: [AnyHashable: Any] = [:]

    init() {}

    /// Creates the part that notifications of saves and merges have in common.
    init(of context: ManagedObjectContext) {
        if let token = context.queryGenerationToken { self[.queryGeneration] = token }
    }

    subscript(key: ManagedObjectContext.NotificationKey) -> Any? {
        get { values[key.rawValue] }
        set { values[key.rawValue] = newValue }
    }

    mutating func add(_ objects: [ManagedObject], _ key: ManagedObjectContext.NotificationKey) {
        if !objects.isEmpty { self[key] = Set(objects) }
    }

    mutating func add(_ ids: Set<ObjectID>, _ key: ManagedObjectContext.NotificationKey) {
        if !ids.isEmpty { self[key] = ids }
    }
}

extension ObjectIDChanges {
    /// Reads the changes from a notification's user info, which contains objects, IDs or URIs of IDs.
    ///
    /// - Parameter resolve: Returns the ID for a URI, or `nil` if the URI belongs to another store.
    init(userInfo: [AnyHashable: Any], resolving resolve: (URL) -> ObjectID? = { _ in nil }) {
        typealias Key = ManagedObjectContext.NotificationKey
        func ids(_ keys: Key...) -> Set<ObjectID> {
            var ids: Set<ObjectID> = []
            for key in keys {
                switch userInfo[key.rawValue] {
                case let objects as Set<ManagedObject>: ids.formUnion(objects.map(\.objectID))
                case let found as Set<ObjectID>: ids.formUnion(found)
                case let found as [ObjectID]: ids.formUnion(found)
                case let uris as Set<URL>: ids.formUnion(uris.compactMap(resolve))
                case let uris as [URL]: ids.formUnion(uris.compactMap(resolve))
                default: break
                }
            }
            return ids
        }
        self.init()
        inserted = ids(.insertedObjects, .insertedObjectIDs)
        updated = ids(.updatedObjects, .updatedObjectIDs)
        deleted = ids(.deletedObjects, .deletedObjectIDs)
        refreshed = ids(.refreshedObjects, .refreshedObjectIDs)
        invalidated = ids(.invalidatedObjects, .invalidatedObjectIDs)
    }
}
