extension ManagedObjectContext {
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
    ///   that were kept, lead to it again. Its version begins anew.
    ///
    /// What a merge policy decides during a save, and what is merged from others, is no action of
    /// its own: undoing gives back the values that the user's change replaced, and redoing those that
    /// were there before the undo.
    ///
    /// The manager holds the objects of the changes that it keeps, so that they outlive their other
    /// holders; bound them with ``UndoManager/levelsOfUndo``, or set nil where nobody undoes.
    ///
    /// Setting it ends the event, and drops the context's actions from the manager before.
    ///
    /// - Precondition: the calling thread is in a turn of the context.
    public var undoManager: UndoManager? {
        get { recordedUndo }
        set {
            requireTurn("undoManager")
            processPendingChanges()
            forgetUndo()
            recordedUndo?.closeEventGroup()
            recordedUndo?.remove(self)
            recordedUndo = newValue
            newValue?.add(self)
        }
    }

    /// Whether changes may have to be taken back after they were saved.
    var isRecordingUndo: Bool {
        guard let recordedUndo else { return false }
        return recordedUndo.isUndoRegistrationEnabled && !recordedUndo.abandonsOpenGroup
    }

    /// The manager that a main-queue context begins with.
    static func makeDefaultUndoManager() -> UndoManager {
        let manager = UndoManager()
        manager.levelsOfUndo = 100
        manager.changesOfUndo = 50_000
        return manager
    }

    /// Takes the last group of changes back. Does nothing where there is none.
    ///
    /// An object that is not in its store any more is left as it is and reported to
    /// ``faultFailureHandler``.
    ///
    /// - Precondition: the calling thread is in a turn of the context, no hook calls it that a save or
    ///   a delete rule runs, and no group is open that was begun by hand.
    public func undo() {
        requireTurn("undo")
        precondition(!isHoldingEvent, "undo was called by a hook; call it behind the save")
        recordedUndo?.undo()
    }

    /// Makes the group of changes again that was taken back last. Does nothing where there is none.
    ///
    /// - Precondition: as of ``undo()``.
    public func redo() {
        requireTurn("redo")
        precondition(!isHoldingEvent, "redo was called by a hook; call it behind the save")
        recordedUndo?.redo()
    }

    /// Registers what the current event changed.
    func registerUndo() {
        guard let recordedUndo, isRecordingUndo else { return }
        let record = UndoRecord(eventOf: self)
        guard !record.isEmpty else { return }
        recordedUndo.registerUndo(withTarget: self, changeCount: record.mutations.count) {
            $0.undo(record)
        }
    }

    /// Takes an event back, as an event of its own, which is registered in turn.
    private func undo(_ record: UndoRecord) {
        processPendingChanges()
        takeBack(record)
        for (object, events) in record.snapshotEvents where object.owner === self {
            object.awakeFromSnapshotEvents(events)
        }
        processPendingChanges()
    }

    /// Drops what could be undone: what it would be undone from is no more.
    func forgetUndo() {
        recordedUndo?.removeAllActions(withTarget: self)
        upsertedIDs = []
    }
}

extension ManagedObjectContext: UndoParticipant {
    var isOnMainQueue: Bool { concurrencyType == .mainQueue }

    /// Outside of its turns a context has no changes that are not registered yet.
    func registerPendingChanges() {
        if queue.isCurrent { processPendingChanges() }
    }
}
