import CairnModel
import CairnStack
import CairnUndo
import Foundation
import Observation

extension ManagedObjectContext {
    // MARK: Events

    /// Ends the current event: applies delete rules, registers one action with the undo manager, and
    /// notifies observers of all changes since the last event.
    ///
    /// An event ends automatically before a save, before a fetch that includes pending changes, before
    /// objects are refreshed, and at the end of a turn. A turn is a call of `perform` or
    /// `performAndWait`, or, on the main queue, a turn of that queue. If there are no changes, this
    /// method has no effect. It has no effect during a save either, because a save is a single event.
    ///
    /// If a delete rule needs data that a store cannot provide, the rule is applied again by the save,
    /// which then throws.
    ///
    /// - Precondition: The calling thread is in a turn of the context.
    public func processPendingChanges() {
        requireTurn("processPendingChanges")
        events.end()
    }

    // MARK: Undo

    /// The manager that undoes and redoes changes of this context, or `nil` if changes cannot be undone.
    ///
    /// As in Core Data on macOS, a main-queue context begins with its own manager, and a private-queue
    /// context without one. Without a manager, nothing is recorded and nothing is spent on recording.
    ///
    /// The initial manager of a main-queue context is bounded, because a manager holds the objects of
    /// the changes that it keeps: an import would otherwise never release the objects that it inserted.
    /// The manager keeps the last 100 groups, and at most 50,000 changes. A single group with more
    /// changes cannot be undone. ``UndoManager/levelsOfUndo`` sets another number of groups, and a new
    /// ``UndoManager`` has no bounds.
    ///
    /// With a manager, each event of the context (see ``processPendingChanges()``) is registered as one
    /// action. An action contains insertions, deletions and the deletions that they cascaded to, values,
    /// both ends of relationships, and orders. A save does not remove actions:
    ///
    /// - Undoing an insertion that was saved deletes the object again with the next save.
    /// - Undoing a deletion that was saved inserts the object again with the next save. It is the same
    ///   object, with its former values and its former ID, so other contexts and stored URIs find it
    ///   again. Its version starts again.
    ///
    /// The decisions of a merge policy during a save, and changes merged from other contexts, are not
    /// actions of their own. Undoing restores the values that the user's change replaced, and redoing
    /// restores the values that the undo replaced.
    ///
    /// The manager holds the objects of the changes that it keeps, and so extends their lifetimes. Bound
    /// the manager with ``UndoManager/levelsOfUndo``, or set this property to `nil` if changes are never
    /// undone.
    ///
    /// Setting this property ends the event, and removes the context's actions from the previous
    /// manager.
    ///
    /// - Precondition: The calling thread is in a turn of the context.
    public var undoManager: UndoManager? {
        get { undoing.manager }
        set {
            requireTurn("undoManager")
            events.end()
            undoing.setManager(newValue)
        }
    }

    /// Undoes the last group of changes. Has no effect if there is no such group.
    ///
    /// An object that its store no longer contains is left unchanged and reported to
    /// ``faultFailureHandler``.
    ///
    /// - Precondition: The calling thread is in a turn of the context, this is not called by a hook that
    ///   a save or a delete rule runs, and no group is open that was begun explicitly.
    public func undo() {
        requireTurn("undo")
        precondition(!events.isHeld, "undo was called in a hook; call it after the save has ended")
        undoing.manager?.undo()
    }

    /// Redoes the group of changes that was last undone. Has no effect if there is no such group.
    ///
    /// - Precondition: The same as for ``undo()``.
    public func redo() {
        requireTurn("redo")
        precondition(!events.isHeld, "redo was called in a hook; call it after the save has ended")
        undoing.manager?.redo()
    }

    // MARK: Merging the saves of other contexts

    /// Whether the saves of other contexts are merged automatically, as if ``mergeChanges(_:)`` were
    /// called for each of them. They are merged in a separate turn, or in the next turn if it comes
    /// first.
    ///
    /// For a context with a coordinator, these are the saves of the coordinator's other contexts. For a
    /// child, they are what the parent saves, what the parent merges, and what other children save to
    /// the parent.
    ///
    /// Unsaved changes of this context are kept on top of the merged values. If changes cannot be merged
    /// because the store cannot be read, objects stay unchanged and ``mergeFailureHandler`` is called.
    public var automaticallyMergesChangesFromParent: Bool {
        get { remoteChanges.areMergedAutomatically }
        set {
            requireTurn("automaticallyMergesChangesFromParent")
            remoteChanges.setMergesAutomatically(newValue)
        }
    }

    /// Updates objects with the changes that another context saved. Unsaved changes of this context are
    /// kept on top of the new values.
    ///
    /// Only objects that are registered in this context are updated, and all of them are fetched
    /// together: the cost is a lookup per change, and one fetch. Objects that were inserted elsewhere
    /// are reported as inserted by the event, although they are not changes of this context. Objects
    /// that were deleted elsewhere leave the context and become deleted objects, unless they have
    /// unsaved changes. Those with unsaved changes are passed to the ``mergePolicy`` by the next save,
    /// and leave the context when a rollback, an undo or a refresh discards their changes.
    ///
    /// - Parameter changes: The changes, as reported by another context's notifications and streams.
    /// - Throws: `.store`, `.unknownStore`, `.wrongThread`.
    public func mergeChanges(_ changes: ObjectIDChanges) throws(GraphError) {
        try checkTurn("mergeChanges")
        events.end()
        try remoteChanges.merge(changes)
        events.end()
    }

    /// Merges the changes of a save from a `didSaveObjectsNotification` or
    /// `didSaveObjectIDsNotification`. A notification of this context's own save has no effect.
    ///
    /// - Throws: The same errors as ``mergeChanges(_:)``.
    public func mergeChanges(fromContextDidSave notification: Notification) throws(GraphError) {
        if notification.object as AnyObject? === self { return }
        try mergeChanges(ObjectIDChanges(userInfo: notification.userInfo ?? [:]))
    }

    /// Merges changes that another process or a remote context saved into several contexts, one after
    /// the other.
    ///
    /// - Parameters:
    ///   - userInfo: Sets or arrays of object IDs or of their URIs, under the keys of
    ///     ``NotificationKey``.
    ///   - contexts: The contexts. The changes are merged in a turn of each of them.
    /// - Throws: The same errors as ``mergeChanges(_:)``, from the first context that cannot merge the
    ///   changes; `.waitCycle`.
    public static func mergeChanges(
        fromRemoteContextSave userInfo: [AnyHashable: Any], into contexts: [ContextHandle]
    ) throws(GraphError) {
        for handle in contexts {
            let coordinator = handle.coordinator
            let changes = ObjectIDChanges(userInfo: userInfo) { uri in
                coordinator?.managedObjectID(forURIRepresentation: uri)
            }
            try handle.performAndWaitTyped { context throws(GraphError) in
                try context.mergeChanges(changes)
            }
        }
    }

    /// Merges changes that another process or a remote context saved into contexts that the caller
    /// holds.
    ///
    /// - Throws: The same errors as ``mergeChanges(fromRemoteContextSave:into:)`` for handles.
    @_disfavoredOverload
    public static func mergeChanges(
        fromRemoteContextSave userInfo: [AnyHashable: Any], into contexts: [ManagedObjectContext]
    ) throws(GraphError) {
        try mergeChanges(fromRemoteContextSave: userInfo, into: contexts.map(\.handle))
    }

    // MARK: Observation

    /// Whether the context's objects can be observed with the Observation framework. Code that reads
    /// their properties inside `withObservationTracking` is then notified when these properties change.
    ///
    /// A typed accessor, a name and a key path refer to the same property. Observers are notified when
    /// the property is set, when the other end of its relationship is set, by undo, redo and rollback,
    /// by a save that derives another value, and by a refresh or merge that may change the value.
    /// Deleting an object, or undoing its deletion, counts as a change of all its properties. Fetched
    /// properties are fetched from their store each time and are not observed.
    ///
    /// ```swift
    /// context.observesObjects = true
    /// withObservationTracking {
    ///     label = song.title
    /// } onChange: {
    ///     Task { @MainActor in update() }
    /// }
    /// ```
    ///
    /// As the framework defines it, `onChange` is called once, in the context's turn, immediately before
    /// the value changes.
    ///
    /// The default is `false`, which has no cost. If this property is `true`, reading a value takes
    /// about fifteen times as long, and each object that was read has a registrar until it is
    /// deallocated. Values that were read before the property became `true` are not observed. After it
    /// becomes `false`, observers are no longer notified.
    ///
    /// - Precondition: To set this property, the calling thread must be in a turn of the context.
    public var observesObjects: Bool {
        get { kinds.observation != nil }
        set {
            requireTurn("observesObjects")
            guard newValue != observesObjects else { return }
            kinds.observation = newValue ? ObservedObjects() : nil
        }
    }
}

/// The notifications that a context posts to `NotificationCenter.default`, with itself as their
/// `object`.
///
/// They are posted in the context's turn, on its thread, in this order: the event before the save,
/// will-save, the changes that hooks made, did-save. Notifications that contain objects must be handled
/// in the context's own turn; notifications that contain IDs may be passed on. A notification whose name
/// was never requested is not posted and costs nothing.
extension ManagedObjectContext {
    /// The keys of the user info. As in Core Data, their raw values are the keys themselves.
    public enum NotificationKey: String, Sendable, CaseIterable {
        /// `Set<ManagedObject>`: objects that were inserted.
        case insertedObjects = "inserted"
        /// `Set<ManagedObject>`: objects whose values or relationships changed.
        case updatedObjects = "updated"
        /// `Set<ManagedObject>`: objects that were deleted.
        case deletedObjects = "deleted"
        /// `Set<ManagedObject>`: objects that were refreshed and have the values of their store again.
        case refreshedObjects = "refreshed"
        /// `Set<ManagedObject>`: objects that lost their values. Their stores may no longer contain
        /// them.
        case invalidatedObjects = "invalidated"
        /// `true` if the context removed all of its objects.
        case invalidatedAllObjects = "invalidatedAll"
        /// `Set<ObjectID>`: the IDs of inserted objects.
        case insertedObjectIDs = "inserted_objectIDs"
        /// `Set<ObjectID>`: the IDs of updated objects.
        case updatedObjectIDs = "updated_objectIDs"
        /// `Set<ObjectID>`: the IDs of deleted objects.
        case deletedObjectIDs = "deleted_objectIDs"
        /// `Set<ObjectID>`: the IDs of refreshed objects.
        case refreshedObjectIDs = "refreshed_objectIDs"
        /// `Set<ObjectID>`: the IDs of invalidated objects.
        case invalidatedObjectIDs = "invalidated_objectIDs"
        /// ``QueryGenerationToken``: the state that a pinned context reads after the save or the merge.
        /// Absent if the context is not pinned.
        case queryGeneration = "newQueryGeneration"
    }

    /// Posted when an event with changes has ended. The user info contains sets of objects; empty sets
    /// are absent.
    ///
    /// Objects that were inserted elsewhere and merged are in the inserted set, as faults.
    public static var didChangeObjectsNotification: Notification.Name {
        ContextNotifications.didChange.observed
    }

    /// Posted when a save begins, while objects may still be changed. It has no user info.
    public static var willSaveObjectsNotification: Notification.Name {
        ContextNotifications.willSave.observed
    }

    /// Posted when a save has succeeded. The user info contains the sets of inserted, updated and
    /// deleted objects, including empty sets, and the query generation of a pinned context. Objects that moved to
    /// another store are updated objects; their new IDs are among the inserted IDs, and the former ones among the
    /// deleted IDs.
    public static var didSaveObjectsNotification: Notification.Name {
        ContextNotifications.didSave.observed
    }

    /// Posted when a save has succeeded. The user info contains the sets of inserted, updated and
    /// deleted IDs, including empty sets, and the query generation of a pinned context.
    public static var didSaveObjectIDsNotification: Notification.Name {
        ContextNotifications.didSaveIDs.observed
    }

    /// Posted when changes from other contexts were merged. The user info contains sets of IDs, and the query
    /// generation of a pinned context. Empty sets are absent. The refreshed set contains the objects whose
    /// values are now newer. Objects that were updated elsewhere are also in the updated set.
    public static var didMergeChangesObjectIDsNotification: Notification.Name {
        ContextNotifications.didMergeIDs.observed
    }
}
