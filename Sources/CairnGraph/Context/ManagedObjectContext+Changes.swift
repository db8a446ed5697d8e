import CairnModel
import Foundation
import Observation

extension ManagedObjectContext {
    // MARK: Events

    /// Ends the event: applies delete rules, makes one record for the undo manager, and tells
    /// observers what was changed since the last event, coalesced.
    ///
    /// An event ends by itself before a save, before a fetch that includes pending changes, before
    /// objects are refreshed, and with the turn: that of `perform` and `performAndWait`, or, on the
    /// main queue, that of the queue. If nothing was changed, this does nothing. During a save it does
    /// nothing either, because a save is one event.
    ///
    /// What a delete rule needs and a store cannot give is left to the save, which throws.
    ///
    /// - Precondition: the calling thread is in a turn of the context.
    public func processPendingChanges() {
        requireTurn("processPendingChanges")
        events.end()
    }

    // MARK: Undo

    /// Takes changes of this context back, and makes them again. `nil` if none are kept.
    ///
    /// A main-queue context begins with a manager of its own, a private-queue one with none, as
    /// Core Data does on macOS. Without one nothing is recorded, and that costs nothing.
    ///
    /// The manager that a main-queue context begins with is bounded, because it holds the objects of
    /// the changes that it keeps: an import would never let go of what it inserted. It keeps the last
    /// 100 groups, and no more than 50,000 changes; a single group with more changes than that cannot be
    /// undone. ``UndoManager/levelsOfUndo`` and ``UndoManager/changesOfUndo`` set other bounds.
    ///
    /// With one, each event of the context (``processPendingChanges()``) is registered as one
    /// action: insertions, deletions with what they cascaded to, values, relationships with both of
    /// their ends, and orders. A save does not forget them:
    ///
    /// - An insertion that was saved is undone as a deletion, for the next save.
    /// - A deletion that was saved is undone as an insertion, for the next save. It is the same
    ///   object that comes back, with its values, and the ID that it had: other contexts, and URIs
    ///   that were kept, lead to it again. Its version begins again.
    ///
    /// What a merge policy decides during a save, and what is merged from others, is no action of
    /// its own: undoing gives back the values that the user's change replaced, and redoing those that
    /// were there before the undo.
    ///
    /// The manager holds the objects of the changes that it keeps, so that they outlive their other
    /// holders; bound them with ``UndoManager/levelsOfUndo``, or set `nil` if nobody undoes.
    ///
    /// Setting it ends the event, and drops the context's actions from the manager before.
    ///
    /// - Precondition: the calling thread is in a turn of the context.
    public var undoManager: UndoManager? {
        get { undoing.manager }
        set {
            requireTurn("undoManager")
            events.end()
            undoing.setManager(newValue)
        }
    }

    /// Takes the last group of changes back. Does nothing if there is none.
    ///
    /// An object that is not in its store any more is left as it is and reported to
    /// ``faultFailureHandler``.
    ///
    /// - Precondition: the calling thread is in a turn of the context, no hook calls it that a save or
    ///   a delete rule runs, and no group is open that was begun by hand.
    public func undo() {
        requireTurn("undo")
        precondition(!events.isHeld, "undo was called by a hook; call it after the save")
        undoing.manager?.undo()
    }

    /// Makes the group of changes again that was taken back last. Does nothing if there is none.
    ///
    /// - Precondition: as of ``undo()``.
    public func redo() {
        requireTurn("redo")
        precondition(!events.isHeld, "redo was called by a hook; call it after the save")
        undoing.manager?.redo()
    }

    // MARK: Merging saves of others

    /// Whether saves of others are merged as if ``mergeChanges(_:)`` were called with each: in a turn
    /// of their own, or with the next one.
    ///
    /// For a context on a coordinator these are the saves of its other contexts. For a child they are
    /// what the parent saves, what the parent merges, and what other children save to the parent.
    ///
    /// Changes of the context are kept on top. What cannot be merged, because the store cannot be
    /// read, leaves objects as they are and is told to ``mergeFailureHandler``.
    public var automaticallyMergesChangesFromParent: Bool {
        get { remoteChanges.areMergedAutomatically }
        set {
            requireTurn("automaticallyMergesChangesFromParent")
            remoteChanges.setMergesAutomatically(newValue)
        }
    }

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
        events.end()
        try remoteChanges.merge(changes)
        events.end()
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

    // MARK: Observation

    /// Whether the context's objects can be observed by the Observation framework: code that reads them
    /// inside of `withObservationTracking` is told when what it read changes.
    ///
    /// A property is the same for a typed accessor, a name and a key path. Observers of it are told
    /// when it is set, when the other end of its relationship is, by undo, redo and rollback, by a
    /// save that derives another value, and by a refresh or merge that may give it another one. A
    /// deletion, taken back or not, is a change of all properties. Fetched properties ask their
    /// store each time and are not observed.
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
    /// As the framework defines it, `onChange` is called once, in the context's turn, just before the
    /// value changes.
    ///
    /// The default is `false`: reading costs nothing extra, and nothing is kept. If it is `true`, reading a
    /// value takes about fifteen times as long, and each object that was read has a registrar until it is
    /// deallocated. Values that were read before it became `true` are not observed, and after it becomes
    /// `false` no observer is told any more.
    ///
    /// - Precondition: of setting it, the calling thread is in a turn of the context.
    public var observesObjects: Bool {
        get { kinds.observation != nil }
        set {
            requireTurn("observesObjects")
            guard newValue != observesObjects else { return }
            kinds.observation = newValue ? ObservedObjects() : nil
        }
    }
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
        /// `true` if the context removed all of its objects.
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
}
