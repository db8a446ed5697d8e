import CairnModel
import CairnStore
import Foundation

extension ManagedObjectContext {
    /// Brings objects up to date with what others saved. Unsaved changes of this context are kept on
    /// top of the new values.
    ///
    /// Only objects that the context has are looked at, and all of them are fetched together: the
    /// cost is a lookup per change, and one fetch. Objects inserted elsewhere are told as inserted by the
    /// event, though they are no changes of this context. Objects deleted elsewhere leave the context
    /// and say that they are deleted, unless they have unsaved changes; of those the next save tells the ``mergePolicy``, and they
    /// leave when their changes are taken back by a rollback, an undo or a refresh.
    ///
    /// - Parameter changes: as another context's notifications and streams tell them.
    /// - Throws: `.store`, `.unknownStore`, `.wrongThread`.
    public func mergeChanges(_ changes: ObjectIDChanges) throws(GraphError) {
        try checkTurn("mergeChanges")
        processPendingChanges()
        try merge(changes)
        processPendingChanges()
    }

    /// Merges the changes of a save, told by `didSaveObjectsNotification` or
    /// `didSaveObjectIDsNotification`. A notification of the context's own save changes nothing.
    ///
    /// - Throws: as ``mergeChanges(_:)``.
    public func mergeChanges(fromContextDidSave notification: Notification) throws(GraphError) {
        if notification.object as AnyObject? === self { return }
        try mergeChanges(ObjectIDChanges(userInfo: notification.userInfo ?? [:]))
    }

    /// Merges the changes that another process, or a context elsewhere, has saved, into several
    /// contexts, one after the other.
    ///
    /// - Parameters:
    ///   - userInfo: sets or arrays of object IDs, or of their URIs, by the keys of
    ///     ``NotificationKey``.
    ///   - contexts: any; each is given a turn.
    /// - Throws: as ``mergeChanges(_:)``, of the first context that cannot merge; `.waitCycle`.
    public static func mergeChanges(
        fromRemoteContextSave userInfo: [AnyHashable: Any], into contexts: [ContextHandle]
    ) throws(GraphError) {
        for handle in contexts {
            let coordinator = handle.coordinator
            let changes = ObjectIDChanges(userInfo: userInfo) { uri in
                coordinator?.managedObjectID(forURIRepresentation: uri)
            }
            try handle.hop { context throws(GraphError) in try context.mergeChanges(changes) }
        }
    }

    /// Merges the changes that another process, or a context elsewhere, has saved, into contexts that the
    /// caller holds.
    ///
    /// - Throws: as ``mergeChanges(fromRemoteContextSave:into:)`` for handles.
    @_disfavoredOverload
    public static func mergeChanges(
        fromRemoteContextSave userInfo: [AnyHashable: Any], into contexts: [ManagedObjectContext]
    ) throws(GraphError) {
        try mergeChanges(fromRemoteContextSave: userInfo, into: contexts.map(\.handle))
    }

    /// Takes changes of others in, as part of the current event.
    ///
    /// - Parameter trustingParent: whether a parent context is known to have the changes already.
    func merge(
        _ changes: ObjectIDChanges, trustingParent: Bool = false
    ) throws(GraphError) {
        advanceQueryGeneration()
        var merged = ObjectIDChanges()
        merged.inserted = changes.inserted
        let arrivals = changes.inserted.subtracting(changes.deleted)
            .filter { identityMap[currentID($0)] == nil }
        noteMerged(MergedChanges(changes, arrivals: arrivals))
        // One that is told as new is known here where its deletion was taken back elsewhere.
        let touched = changes.updated.union(changes.refreshed).union(changes.invalidated)
            .union(changes.inserted)
        let objects = touched.subtracting(changes.deleted)
            .compactMap { identityMap[currentID($0)] }.filter { !$0.isInserted }
        let gone = try bringUpToDate(objects, trustingParent: trustingParent)
        merged.refreshed = Set(objects.map(\.objectID))
        merged.updated = merged.refreshed.subtracting(changes.inserted)
        for object in gone + changes.deleted.compactMap({ identityMap[currentID($0)] }) {
            merged.updated.remove(object.objectID)
            merged.refreshed.remove(object.objectID)
            merged.deleted.insert(object.objectID)
            mergeDeletion(of: object)
        }
        children.forEach { $0.tell(saved: changes) }
        announceMerge(merged)
    }

    /// Fetches the values of objects that have some; faults will ask when they are asked.
    ///
    /// - Returns: those that are gone.
    private func bringUpToDate(
        _ objects: [ManagedObject], trustingParent: Bool
    ) throws(GraphError) -> [ManagedObject] {
        for object in objects {
            noteRefreshed(object)
            object.forgetStoredMembers()
        }
        let realized = objects.filter { $0.row != nil }
        guard !realized.isEmpty else { return [] }
        let ids = realized.map(\.objectID)
        let isInParent = trustingParent && source.holdsUnsavedObjects
        let batch = isInParent ? try source.rows(for: ids) : try source.freshRows(for: ids)
        readNewIDs()
        let found = Set(rebase(on: batch).map(ObjectIdentifier.init))
        for object in realized where found.contains(ObjectIdentifier(object)) {
            tracker.noteStored(object)
        }
        return realized.filter { !found.contains(ObjectIdentifier($0)) }
    }

    /// Lets go of objects that were deleted elsewhere, where the changes that kept them are no more.
    func letGoOfUnkeptObjects() {
        for object in tracker.keptByChanges where !object.hasChanges { mergeDeletion(of: object) }
    }

    /// Lets go of an object that was deleted elsewhere, and has relationships that led to it fetched
    /// anew. One with unsaved changes stays.
    func mergeDeletion(of object: ManagedObject) {
        guard object.owner === self else { return }
        object.forgetMembersElsewhere()
        guard !object.hasChanges || object.isDeleted else {
            return tracker.noteDeletedElsewhere(object)
        }
        if !object.state.contains(.touched) { touch(object, for: .updated) }
        letGo(of: object, isDeleted: true)
        tracker.noteIdle()
    }
}

extension ObjectIDChanges {
    /// Reads what a notification tells, as objects, as IDs or as their URIs.
    ///
    /// - Parameter resolve: gives the ID of a URI; nil: there is none here.
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
