import CairnModel
import CairnStack
import CairnStore
import Foundation

extension ManagedObjectContext {
    // MARK: Saving

    /// Saves all changes, or none, to one store or to several.
    ///
    /// Ends the event, applies the delete rules, calls the hooks, validates, and passes the changes to
    /// the stores. A save that fails leaves the context as it was when the event ended. If others have
    /// changed the same objects, the ``mergePolicy`` decides, and the save is tried again. If a store's
    /// engine fails in a way that may be temporary, such as a lost connection, the save is tried again a
    /// few times, with pauses of less than half a second in total. If the outcome of a commit is
    /// unknown, the store is asked whether it saved.
    ///
    /// If the progress or the task is cancelled before the commit, nothing is saved, and the context
    /// keeps its changes. Once the commit has begun, cancelling has no effect.
    ///
    /// - Parameters:
    ///   - progress: Reports how many objects are written, and can cancel the save before the commit.
    ///     Its units are the objects that are inserted, updated or deleted; the total is known once the
    ///     hooks and the delete rules have run. The last unit is completed after the commit. A save
    ///     without changes does not change the progress. The progress is updated on the saving thread
    ///     while the store is locked, so code that observes the progress must not use the store on that
    ///     thread.
    ///   - id: An identifier that every durable store records atomically with the changes. Keep the
    ///     identifier before the call, and pass it to `PersistentStore.outcome(of:)` of the context's
    ///     stores later: this way, even a program that ended during the save learns whether its last
    ///     save succeeded. A save without changes is not recorded. A child context's save goes to its
    ///     parent, which records nothing.
    /// - Throws: `.validation` with every broken rule; `.mergeConflicts` with every object that was
    ///   changed elsewhere since it was read, and `.constraintConflicts` with all duplicate values of
    ///   unique properties, if the policy does not resolve them; `.mergePolicyFailed` if the policy
    ///   threw an error of its own; `.store` with the other errors of stores; `.savePending` if a save
    ///   to several stores has succeeded but one of them could not be written yet (the context then has
    ///   no changes); `.saveOutcomeUnknown` if a store cannot determine whether it committed;
    ///   `.saveCancelled` if the progress or the task was cancelled; `.noStore`, `.unknownStore`,
    ///   `.relationshipAcrossStores`, `.objectGone`, `.wrongThread`; `.hooksNeverSettle`;
    ///   `.saveUnderWay` if an object's hook calls this method during a save; `.waitCycle` if the
    ///   parent's turn waits for this one.
    public func save(
        reporting progress: Progress? = nil, named id: SaveID? = nil
    ) throws(GraphError) {
        let save = ContextSave(
            self, watchedBy: progress.map { SaveWatch(progress: $0) }, named: id)
        guard try save.begin() else { return SaveWatch.finish(progress) }
        let completed = try events.hold { () throws(GraphError) in
            try save.attemptUntilResolved()
        }
        save.finish(completed)
        if let pending = completed.pending { throw .savePending(pending) }
    }

    /// Saves as ``save(reporting:named:)`` does, but leaves the main actor free while the stores are
    /// locked, written and synchronised. Those steps run on the coordinator's executor.
    ///
    /// Hooks, validation and merge policies run on the main actor, and the values to save are also read
    /// there. While the stores are written, the context still shows its state before the save. Values
    /// that its objects already have can be read without waiting. A call that changes the context or one
    /// of its objects, accesses a store or the parent, or saves again, first waits for the stores and
    /// blocks the main actor meanwhile. A change made by such a call belongs to the next save. A second
    /// `saveInBackground` waits without blocking.
    ///
    /// If the task is cancelled while it waits for a store's lock, nothing is saved, and the context
    /// keeps its changes. If any of the context's ancestors is a main-queue context, or objects move to
    /// another store, this method is the same as ``save(reporting:named:)``. In a private-queue context, use
    /// ``save(reporting:named:)`` inside `perform`, which leaves the main actor free.
    ///
    /// - Parameter progress: Reports the save's progress and can cancel it, as in
    ///   ``save(reporting:named:)``.
    /// - Throws: The errors of ``save(reporting:named:)``; `.wrongThread` in a private-queue context.
    @MainActor public func saveInBackground(
        reporting progress: Progress? = nil
    ) async throws(GraphError) {
        try await endBackgroundSaves()
        if hasMainQueueParent || savingState.assignments.keys.contains(where: isMoving) {
            return try save(reporting: progress)
        }
        let save = ContextSave(self, watchedBy: progress.map { SaveWatch(progress: $0) })
        guard try save.begin() else { return SaveWatch.finish(progress) }
        try await BackgroundSave(save, of: self).run()
    }

    /// Waits for saves in progress to end, without blocking the main actor.
    ///
    /// - Throws: `.wrongThread`.
    @MainActor func endBackgroundSaves() async throws(GraphError) {
        guard queue.isCurrent else {
            throw .wrongThread(
                context: queue.ownerLock.name,
                detail: "a method that only main-queue contexts have was called")
        }
        while let save = savingState.background, save.attempt != nil { await save.advance() }
    }

    /// Whether an ancestor uses the main queue. A save in the background would have to wait for that
    /// queue, which may be blocked.
    private var hasMainQueueParent: Bool {
        var next = parentHandle
        while let parent = next {
            if parent.isMainQueue { return true }
            next = parent.parent
        }
        return false
    }

    /// Performs the steps that precede a save, and passes the changes and their values to a closure. The context
    /// must not be used afterwards.
    ///
    /// - Throws: The errors of ``save(reporting:named:)`` before it calls a store; the error of `body`.
    package func collectChanges(
        _ body: (ChangeSet, any ChangedObjects) throws(GraphError) -> Void
    ) throws(GraphError) {
        events.end()
        let collected = try ContextSave(self).collect()
        try body(collected.changes, ContextPacker(self, moving: collected.externalValues))
        savingState.notesUnsavedChanges = false
    }

    // MARK: Discarding changes

    /// Discards all changes. New objects leave the context; changed and deleted objects return to their
    /// stored state. Objects with changes that were deleted elsewhere meanwhile also leave the context.
    ///
    /// Transient values are kept. Afterwards, nothing can be undone or redone.
    ///
    /// - Precondition: The calling thread is in a turn of the context.
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
                detach(object, isElsewhere: true)
            } else {
                object.rollBack()
            }
        }
        tracker.removeAll()
        forgetEvents()
        remoteChanges.readRemovedStores()
        // Includes the objects that had changes until now.
        remoteChanges.makeFaultsOfRemovedStores()
        observers.announce(events.close())
    }

    /// Removes all objects from the context. Objects that the caller still holds become faults that no
    /// longer belong to a context.
    ///
    /// - Precondition: The calling thread is in a turn of the context.
    public func reset() {
        requireTurn("reset")
        for object in tracker.objects { object.state.formIntersection([.gone, .deleted]) }
        tracker.removeAll()
        for object in identityMap.objects { object.leaveContext(keeping: [], as: []) }
        identityMap.removeAll()
        replacedIDs.forget()
        events.releaseHeldObjects()
        reading.advance()
        forgetEvents()
        events.journal.clear()
        observers.announce(EventChanges(invalidatesAll: true))
    }

    /// Discards the work that earlier events left to the save, and the undo actions.
    private func forgetEvents() {
        events.deletions.removeAll()
        undoing.forgetTombstones()
        undoing.forgetActions()
        savingState.assignments = [:]
    }

    /// Updates an object from its store.
    ///
    /// - Parameters:
    ///   - object: An object of this context. A new object, which no store contains, is not changed.
    ///   - mergeChanges: If `true`, the newest row is fetched, and the object's changes are kept on top
    ///     of it. If `false`, the changes are discarded and the object becomes a fault.
    /// - Throws: `.objectGone` if no store contains the object any more; `.store`, `.unknownStore`,
    ///   `.wrongContext`, `.wrongThread`.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) throws(GraphError) {
        try checkTurn("refresh")
        guard object.owner === self else {
            throw .wrongContext(object.objectID, detail: "it cannot be refreshed here")
        }
        // If objects were only refreshed so far, report them together with this object.
        if !events.journal.touches.isEmpty { events.end() }
        guard !object.isInserted else { return }
        guard mergeChanges else {
            events.noteRefreshed(object)
            object.state.subtract([.deleted, .gone, .deletedElsewhere])
            savingState.assignments[object] = nil
            object.turnIntoFault(keepingChanges: false)
            remoteChanges.removeUnkeptObjects()
            tracker.noteIdle()
            return
        }
        let batch = try source.freshRows(for: [object.objectID])
        if try remoteChanges.update(from: batch).isEmpty {
            throw .objectGone(object.objectID, object.absence)
        }
    }

    /// Turns every object without changes into a fault, and updates the other objects from their stores,
    /// keeping their changes. Objects that their stores no longer contain stay as they are.
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
        try remoteChanges.update(from: source.freshRows(for: changed.map(\.objectID)))
    }
}

extension ManagedObject {
    /// Discards all changes to stored values and relationships.
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
