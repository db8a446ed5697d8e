import CairnModel
import CairnStore
import Foundation

extension ManagedObjectContext {
    // MARK: Saving

    /// Saves all changes, or none, in one store or in several.
    ///
    /// Ends the event, applies the delete rules, calls the hooks, validates, and passes the changes to
    /// the stores. A save that fails leaves the context as it was when the event ended. If others have
    /// changed the same objects, the ``mergePolicy`` decides, and the save is tried again. If a store's
    /// engine fails in a way that may be temporary, such as a lost connection, the save is tried again
    /// a few times, with pauses of less than half a second in total. If the outcome of a commit is
    /// unknown, the store is asked whether it saved.
    ///
    /// A save whose progress or task is cancelled before the commit saves nothing, and the context
    /// keeps its changes. Once the commit has begun, cancelling has no effect.
    ///
    /// - Parameters:
    ///   - progress: is told how many objects are written, and can cancel the save before the commit.
    ///     The units are the objects that are inserted, updated or deleted; the total is known once the
    ///     hooks and the delete rules have run. The last unit is completed after the commit. A save
    ///     without changes leaves the progress as it is. The progress is told on the saving thread
    ///     while the store is locked: code that observes the progress must not use the store there.
    ///   - id: a name that every durable store records in the same step. Keep the name before the
    ///     call, and ask `PersistentStore.outcome(of:)` of the context's stores later: also a program
    ///     that ended in the middle learns so whether its last save took place. A save without changes
    ///     is not recorded. A child context's save goes to its parent, which records nothing.
    /// - Throws: `.validation` with every broken rule; `.mergeConflicts` with every object that was
    ///   changed elsewhere since it was read, and `.constraintConflicts` with all unique values that
    ///   occur twice, if the policy does not resolve them; `.mergePolicyFailed` if the policy threw an
    ///   error of its own; `.store` with the other errors of stores; `.savePending` if the save over
    ///   several stores has taken place and one of them could not be written yet: the context then has
    ///   no changes; `.saveOutcomeUnknown` if a store cannot tell whether it committed; `.saveCancelled`
    ///   if the progress or the task was cancelled; `.noStore`, `.unknownStore`,
    ///   `.relationshipAcrossStores`, `.objectGone`, `.wrongThread`; `.hooksNeverSettle`;
    ///   `.saveUnderWay` if an object's hook calls this during a save; `.waitCycle` if the parent's
    ///   turn waits for this one.
    public func save(
        reporting progress: Progress? = nil, named id: SaveID? = nil
    ) throws(GraphError) {
        let save = ContextSave(
            self, watchedBy: progress.map { SaveWatch(progress: $0) }, named: id)
        guard try save.begin() else { return }
        let completed = try events.hold { () throws(GraphError) in
            try save.attemptUntilResolved()
        }
        save.finish(completed)
        if let pending = completed.pending { throw .savePending(pending) }
    }

    /// Saves as ``save(reporting:named:)`` does, and leaves the main actor free while the stores are locked, written and
    /// synchronised: those steps run on the coordinator's executor.
    ///
    /// Hooks, validation and merge policies run on the main actor, as does reading the values that are
    /// saved. While the stores are written, the context shows what it showed before. Values that its
    /// objects have are read at once. A call that changes the context or one of its objects, asks a store
    /// or the parent, or saves again, first waits for the stores, and blocks the main actor until then; a
    /// change that is made so belongs to the next save. A second `saveInBackground` waits without
    /// blocking.
    ///
    /// A task that is cancelled while it waits for a store's lock saves nothing, and the context keeps its
    /// changes. Where a parent in the line of parents is a main-queue context itself, this is ``save(reporting:named:)``.
    /// In a private-queue context use ``save(reporting:named:)`` inside of `perform`, which leaves the main actor free.
    ///
    /// - Parameter progress: told and asked as by ``save(reporting:named:)``.
    /// - Throws: as ``save(reporting:named:)``; `.saveCancelled` if the progress or the task was cancelled;
    ///   `.wrongThread` if this is no main-queue context.
    @MainActor public func saveInBackground(
        reporting progress: Progress? = nil
    ) async throws(GraphError) {
        try await endBackgroundSaves()
        if hasMainQueueParent { return try save(reporting: progress) }
        let save = ContextSave(self, watchedBy: progress.map { SaveWatch(progress: $0) })
        if try save.begin() { try await BackgroundSave(save, of: self).run() }
    }

    /// Lets saves end that are under way, without blocking the main actor.
    ///
    /// - Throws: `.wrongThread`.
    @MainActor func endBackgroundSaves() async throws(GraphError) {
        guard queue.isCurrent else {
            throw .wrongThread(
                context: queue.ownerLock.name,
                detail: "a call for main-queue contexts was made. Use perform")
        }
        while let save = savingState.background, save.attempt != nil { await save.advance() }
    }

    /// Whether a save would need the main queue, which may be blocked.
    private var hasMainQueueParent: Bool {
        var next = parentHandle
        while let parent = next {
            if parent.isMainQueue { return true }
            next = parent.parent
        }
        return false
    }

    // MARK: Taking changes back

    /// Forgets all changes: new objects go, deleted and changed ones are as they were stored; those
    /// that were deleted elsewhere meanwhile go, too.
    ///
    /// Transient values stay. There is nothing to undo or redo after it.
    ///
    /// - Precondition: the calling thread is in a turn of the context.
    public func rollback() {
        requireTurn("rollback")
        for object in tracker.objects where object.hasChanges {
            events.touchIfNeeded(object)
            if !tracker.isGone(withoutChanges: object), !object.isDeleted {
                events.journal.noteRefreshed(object)
            }
        }
        for object in tracker.objects {
            if tracker.isGone(withoutChanges: object) {
                letGo(of: object)
            } else {
                object.rollBack()
            }
        }
        tracker.removeAll()
        forgetEvents()
        remoteChanges.readRemovedStores()
        // Those that had changes until now.
        remoteChanges.makeFaultsOfRemovedStores()
        observers.announce(events.close())
    }

    /// Removes all objects from the context. Objects that the caller still holds are faults that no
    /// longer belong to a context.
    ///
    /// - Precondition: the calling thread is in a turn of the context.
    public func reset() {
        requireTurn("reset")
        for object in tracker.objects { object.state.formIntersection([.gone, .deleted]) }
        tracker.removeAll()
        for object in identityMap.objects { object.leaveContext(keeping: [], as: []) }
        identityMap.removeAll()
        replacedIDs.forget()
        events.letGoOfHeldObjects()
        reading.advance()
        forgetEvents()
        events.journal.clear()
        observers.announce(EventChanges(invalidatesAll: true))
    }

    /// Forgets what earlier events left to be done, or could be taken back to.
    private func forgetEvents() {
        events.deletions.removeAll()
        undoing.forgetTombstones()
        undoing.forgetActions()
        savingState.assignments.removeAll()
    }

    /// Brings an object up to date with its store.
    ///
    /// - Parameter mergeChanges: `true` fetches the newest row and keeps the changes to it. `false`
    ///   discards the changes and makes the object a fault.
    /// - Throws: `.objectGone` if no store contains the object any more, `.store`, `.unknownStore`,
    ///   `.wrongContext`, `.wrongThread`.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) throws(GraphError) {
        try checkTurn("refresh")
        guard object.owner === self else {
            throw .wrongContext(object.objectID, detail: "it cannot be refreshed here")
        }
        // What was only refreshed before is told together with this.
        if !events.journal.touches.isEmpty { events.end() }
        guard !object.isInserted else { return }
        guard mergeChanges else {
            events.noteRefreshed(object)
            object.state.subtract([.deleted, .gone])
            object.turnIntoFault(keepingChanges: false)
            remoteChanges.letGoOfUnkeptObjects()
            tracker.noteIdle()
            return
        }
        let batch = try source.freshRows(for: [object.objectID])
        if remoteChanges.rebase(on: batch).isEmpty { throw .objectGone(object.objectID) }
    }

    /// Makes every object without changes a fault, and brings the others up to date, keeping their
    /// changes. One that is not in its store any more stays as it is.
    ///
    /// - Throws: `.store`, `.unknownStore`, `.wrongThread`.
    public func refreshAllObjects() throws(GraphError) {
        try checkTurn("refreshAllObjects")
        events.end()
        reading.advance()
        for object in identityMap.objects where !object.hasChanges {
            events.noteRefreshed(object)
            object.turnIntoFault(keepingChanges: false)
        }
        let changed = tracker.objects.filter { $0.hasChanges && !$0.isInserted }
        remoteChanges.rebase(on: try source.freshRows(for: changed.map(\.objectID)))
    }
}

extension ManagedObject {
    /// Takes back all changes to stored values and relationships.
    fileprivate final func rollBack() {
        change(isDeleted ? allProperties : changedProperties) {
            overlay?.clearValues()
            overlay?.updateAllMembers { $0.rollBack() }
            readsRow = row != nil
            state.remove(.deleted)
        }
        awakeFromSnapshotEvents(.rollback)
    }
}
