import CairnModel
import Foundation

extension ManagedObjectContext {
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
}
