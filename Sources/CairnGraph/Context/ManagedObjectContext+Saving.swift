import CairnModel
import CairnStore
import Foundation

extension ManagedObjectContext {
    /// Saves all changes, or none, in one store or in several.
    ///
    /// Ends the event, applies the delete rules, calls the hooks, validates, and hands the changes
    /// to the stores. A save that fails leaves the context as it was when the event ended. One that
    /// meets changes of others asks the ``mergePolicy``, and is tried again. One that a store's engine
    /// fails in a way that passes, such as a lost connection, is tried again a few times, after pauses
    /// of less than half a second together. If the answer to a commit is lost, the store is asked
    /// whether it saved.
    ///
    /// - Throws: `.validation` with every broken rule; `.mergeConflicts` with every object that was
    ///   changed elsewhere since it was read, `.constraintConflicts` with all unique values that
    ///   occur twice, where the policy does not resolve them; `.mergePolicyFailed` where it threw
    ///   an error of its own; `.store` with the other errors of stores;
    ///   `.savePending` if the save over several stores has taken place and one of them could not be
    ///   written yet: the context has no changes then;
    ///   `.saveOutcomeUnknown` where a store cannot tell whether it committed;
    ///   `.noStore`, `.unknownStore`, `.relationshipAcrossStores`, `.objectGone`, `.wrongThread`;
    ///   `.hooksNeverSettle`; `.saveUnderWay` where a hook of an object calls it during a save; `.waitCycle` where the
    ///   parent's turn waits for this one.
    public func save() throws(GraphError) {
        try save(watchedBy: nil)
    }

    /// Saves as ``save()`` does, tells a progress how many objects are written, and can be cancelled
    /// before the commit.
    ///
    /// The units are the objects that are inserted, updated or deleted; the total is known once the
    /// hooks and the delete rules have run. The last unit is completed after the commit. A save without
    /// changes leaves the progress as it is. The progress is told on the saving thread while the
    /// store is locked: code that observes the progress must not use the store there.
    ///
    /// A save whose progress or task is cancelled before the commit saves nothing, and the context
    /// keeps its changes. Once the commit has begun, cancelling has no effect.
    ///
    /// - Throws: `.saveCancelled` if the progress or the task was cancelled; otherwise as ``save()``.
    public func save(reporting progress: Progress) throws(GraphError) {
        try save(watchedBy: SaveWatch(progress: progress))
    }

    /// Saves as ``save()`` does, and has every durable store record the name in the same step.
    ///
    /// Keep the name before the call, and ask `PersistentStore.outcome(of:)` of the context's stores
    /// later: also a program that ended in the middle learns so whether its last save took place. A
    /// save without changes does nothing, and is not recorded. A child context's save goes to its
    /// parent, which records nothing.
    ///
    /// - Throws: as ``save()``.
    public func save(named id: SaveID) throws(GraphError) {
        try save(watchedBy: nil, named: id)
    }

    func save(watchedBy watch: SaveWatch?, named id: SaveID? = nil) throws(GraphError) {
        guard try beginSave() else { return }
        let saved = try saveResolvingConflicts(watchedBy: watch, named: id)
        finishSave(saved)
        if let pending = saved.pending { throw .savePending(pending) }
    }

    /// Ends the event and tells observers that a save begins. Returns whether there is something to save.
    ///
    /// - Throws: `.wrongThread`, `.saveUnderWay`.
    func beginSave() throws(GraphError) -> Bool {
        try checkTurn("save")
        guard !isHoldingEvent else {
            throw .saveUnderWay(queue.ownerLock.name)
        }
        processPendingChanges()
        // Delete rules that are left to the save may have something to do for objects that never were in
        // a store.
        guard hasChanges || !unpropagatedDeletions.isEmpty else { return false }
        postWillSave()
        processPendingChanges()
        return true
    }

    /// Tells objects, observers and other contexts what was saved.
    func finishSave(_ saved: Saved) {
        complete(saved.upserts)
        for object in saved.deleted {
            object.didSave()
            letGo(of: object)
        }
        for event in saved.events { announce(event) }
        for object in saved.objects { object.didSave() }
        // Before the announcement, which tells what the context reads from now on.
        advanceQueryGeneration()
        announce(saved.changes)
        if !saved.unkept.isEmpty {
            for object in saved.unkept { mergeDeletion(of: object) }
            processPendingChanges()
        }
        source.feed?.tell(except: inbox) { ObjectIDChanges(saved.changes) }
        children.tell(except: inbox) { ObjectIDChanges(saved.changes) }
    }

    /// What a save did, to be told when it is done.
    struct Saved {
        /// Those that were saved and are still there.
        let objects: [ManagedObject]
        /// Those that are there no more: the context lets go of them when their hook was called.
        let deleted: [ManagedObject]
        /// Those that were deleted elsewhere, and had no change that was stored.
        let unkept: [ManagedObject]
        /// What merging, hooks and delete rules changed during the save.
        private(set) var events: [EventChanges]
        let changes: SavedChanges
        /// Set if the save has taken place and a store could not be written yet.
        let pending: InterruptedSave?
        /// New objects that share unique values with others.
        private(set) var upserts: [Upsert] = []

        /// Creates what one attempt saved.
        init(
            objects: [ManagedObject], deleted: [ManagedObject], unkept: [ManagedObject],
            event: EventChanges, changes: SavedChanges, pending: InterruptedSave?
        ) {
            self.objects = objects
            self.deleted = deleted
            self.unkept = unkept
            events = [event]
            self.changes = changes
            self.pending = pending
        }

        /// Adds how conflicts were resolved before.
        mutating func add(_ resolutions: [Resolution]) {
            events = resolutions.map(\.event) + events
            upserts = resolutions.flatMap(\.upserts)
        }
    }

    /// What a save hands to its source, and what the context has to know when that is done.
    struct CollectedSave {
        let changes: ChangeSet
        let orderKeys: [ChangeCollector.OrderedRelation: [ObjectID: Int64]]
    }

    /// Saves once; what it changed before a failure is in the event.
    func saveChanges(
        watchedBy watch: SaveWatch?, named id: SaveID?
    ) throws(GraphError) -> Saved {
        let collected = try collectSave(watchedBy: watch, named: id)
        let result =
            collected.changes.isEmpty
            ? SaveResult(permanentIDs: IDReplacements(), rows: RowBatch())
            : try source.save(collected.changes)
        return completeSave(collected, result)
    }

    /// Does everything that comes before the source's part; what it changed before a failure is in the
    /// event.
    func collectSave(
        watchedBy watch: SaveWatch?, named id: SaveID? = nil
    ) throws(GraphError) -> CollectedSave {
        try callWillSave()
        var validator = Validator(try DeleteRules(self).denials(of: tracker.deleted))
        try validator.check(self)
        var collector = ChangeCollector(self)
        var changes = try collector.collect()
        changes.watch = watch
        changes.id = id
        watch?.begin(objectCount: changes.objectCount)
        try watch?.checkCancelled()
        try fillTombstones()
        return CollectedSave(changes: changes, orderKeys: collector.orderKeys)
    }

    /// Makes what the source saved the stored state of the objects, and ends the event.
    func completeSave(_ collected: CollectedSave, _ result: SaveResult) -> Saved {
        collected.changes.watch?.finish()
        saveCount += 1
        registerUndo()
        let event = closeEvent()
        let saved = SavedChanges(tracker)
        let gone = tracker.deleted
        let unkept = objectsNotKept(by: collected.changes)
        let objects = adopt(result, orderKeys: collected.orderKeys)
        // Until their hook was called: it wants to know why.
        for object in gone { object.state.insert(.deleted) }
        return Saved(
            objects: objects, deleted: gone, unkept: unkept, event: event, changes: saved,
            pending: result.pending)
    }

    /// Objects that were deleted elsewhere, and that the save did not store again.
    private func objectsNotKept(by changes: ChangeSet) -> [ManagedObject] {
        let kept = tracker.keptByChanges
        guard !kept.isEmpty else { return [] }
        let stored = Set(changes.inserted).union(changes.updated.map(\.id))
        return kept.filter { !stored.contains($0.objectID) && !$0.isDeleted }
    }

    /// Makes what was saved the stored state of the objects.
    private func adopt(
        _ result: SaveResult, orderKeys: [ChangeCollector.OrderedRelation: [ObjectID: Int64]]
    ) -> [ManagedObject] {
        let remaining = tracker.objects.filter { !$0.isDeleted && $0.hasChanges }
        let gone = tracker.leaving
        for object in remaining { object.markMembersSaved(orderKeys) }
        // Those of the last save: kept for ever they would be a leak.
        if !source.holdsUnsavedObjects { forgetReplacedIDs() }
        announceIDs(result.permanentIDs)
        for row in result.rows.rows {
            // Rows of others come along where derived values depend on what was saved.
            if let object = identityMap[row.id], !object.isFault { object.adopt(saved: row) }
        }
        for object in gone {
            if object.isInserted {
                letGo(of: object, isDeleted: true)
            } else {
                identityMap.remove(object.objectID)
            }
        }
        tracker.removeAll()
        abandonedInsertions = []
        tombstones = [:]
        assignments = [:]
        return Array(remaining)
    }

    /// Makes an object one that no context and no store has.
    ///
    /// - Parameter isDeleted: whether the object says from now on that it is deleted: if that was not
    ///   done by a save of this context.
    func letGo(of object: ManagedObject, isDeleted: Bool = false) {
        identityMap.remove(object.objectID)
        assignments[ObjectIdentifier(object)] = nil
        object.leaveContext(
            keeping: [.tracked, .touched, .touchedBefore, .newborn],
            as: isDeleted ? [.gone, .deleted] : .gone)
    }

    // MARK: Taking changes back

    /// Forgets all changes: new objects go, deleted and changed ones are as they were stored; those
    /// that were deleted elsewhere meanwhile go, too.
    ///
    /// Transient values stay. There is nothing to undo or redo behind it.
    ///
    /// - Precondition: the calling thread is in a turn of the context.
    public func rollback() {
        requireTurn("rollback")
        for object in tracker.objects where object.hasChanges {
            if !object.state.contains(.touched) { touch(object, for: .updated) }
            if !tracker.isGone(withoutChanges: object), !object.isDeleted {
                journal.noteRefreshed(object)
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
        forgetUndo()
        readRemovedStores()
        // Those that had changes until now.
        makeFaultsOfRemovedStores()
        announce(closeEvent())
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
        forgetReplacedIDs()
        letGoOfPrefetchedObjects()
        advanceQueryGeneration()
        forgetEvents()
        forgetUndo()
        journal.clear()
        announce(EventChanges(invalidatesAll: true))
    }

    /// Brings an object up to date with its store.
    ///
    /// - Parameter mergeChanges: true: fetches the newest row and keeps the changes on top of it;
    ///   false: forgets the changes and makes the object a fault.
    /// - Throws: `.objectGone` where no store has the object any more, `.store`, `.unknownStore`,
    ///   `.wrongContext`, `.wrongThread`.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) throws(GraphError) {
        try checkTurn("refresh")
        guard object.owner === self else {
            throw .wrongContext(object.objectID, detail: "it cannot be refreshed here")
        }
        // What was only refreshed before is told together with this.
        if !journal.touches.isEmpty { processPendingChanges() }
        guard !object.isInserted else { return }
        guard mergeChanges else {
            noteRefreshed(object)
            object.state.subtract([.deleted, .gone])
            object.turnIntoFault(keepingChanges: false)
            letGoOfUnkeptObjects()
            tracker.noteIdle()
            return
        }
        let batch = try source.freshRows(for: [object.objectID])
        if rebase(on: batch).isEmpty { throw .objectGone(object.objectID) }
    }

    /// Makes every object without changes a fault, and brings the others up to date, keeping their
    /// changes. One that is not in its store any more stays as it is.
    ///
    /// - Throws: `.store`, `.unknownStore`, `.wrongThread`.
    public func refreshAllObjects() throws(GraphError) {
        try checkTurn("refreshAllObjects")
        processPendingChanges()
        advanceQueryGeneration()
        for object in identityMap.objects where !object.hasChanges {
            noteRefreshed(object)
            object.turnIntoFault(keepingChanges: false)
        }
        let changed = tracker.objects.filter { $0.hasChanges && !$0.isInserted }
        rebase(on: try source.freshRows(for: changed.map(\.objectID)))
    }
}

extension ManagedObject {
    /// Takes the current members of every to-many as the stored ones.
    fileprivate final func markMembersSaved(
        _ orderKeys: [ChangeCollector.OrderedRelation: [ObjectID: Int64]]
    ) {
        guard let overlay, overlay.hasUsedMembers else { return }
        for binding in kind.relationships where binding.isToMany {
            guard let slot = binding.storage.objectSlot,
                overlay.members(at: slot).hasChanges
            else { continue }
            let keys = orderKeys[.init(owner: objectID, relationship: binding.relationship)]
            overlay.updateMembers(at: slot) { $0.markSaved(keys: keys) }
        }
    }

    /// Takes a saved row as the stored values.
    fileprivate final func adopt(saved row: Row) {
        change(properties(changedBy: row, keepingChanges: false)) {
            if kind.isOnlyRow {
                // Nothing is left in the overlay: the object is what it is when it was fetched.
                overlay = nil
            } else {
                overlay?.clearValues()
            }
            self.row = row
            readsRow = true
        }
    }

    /// Forgets the context, the values, and all of the state but for what is to be kept.
    ///
    /// - Parameter end: what the object is from now on.
    fileprivate final func leaveContext(keeping kept: ObjectState, as end: ObjectState) {
        change(allProperties) {
            owner = nil
            row = nil
            overlay = nil
            readsRow = false
            state = state.intersection(kept).union(end)
        }
    }

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
