import CairnModel
import CairnRows
import CairnStack
import CairnStore

/// One save of a context. The methods are the save's steps, in the order in which they are called.
final class ContextSave {
    private let context: ManagedObjectContext
    let watch: SaveWatch?
    private let id: SaveID?
    /// How the conflicts of earlier attempts were resolved.
    private var resolutions: [ConflictResolution] = []

    /// The changes that one attempt passes to the source, and the order keys that the context adopts
    /// after it.
    struct Collected {
        let changes: ChangeSet
        let orderKeys: [ChangeCollector.OrderedRelation: [ObjectID: Int64]]
        /// The objects that move to another store, and their values outside rows.
        let moved: [ManagedObject]
        let externalValues: [ObjectID: [RowSlot: Value]]
    }

    init(
        _ context: ManagedObjectContext, watchedBy watch: SaveWatch? = nil, named id: SaveID? = nil
    ) {
        self.context = context
        self.watch = watch
        self.id = id
    }

    /// Attempts to save. If there are conflicts, lets the merge policy resolve them and tries again.
    /// After a failure, the context is as it was before. The whole save is one event for observers, which
    /// are not notified here.
    func attemptUntilResolved() throws(GraphError) -> CompletedSave {
        while true {
            do {
                let collected = try collect()
                if collected.changes.isEmpty { return complete(collected, .nothing) }
                let packer = ContextPacker(context, moving: collected.externalValues)
                return complete(
                    collected, try context.source.save(collected.changes, of: packer))
            } catch {
                try resolveConflicts(in: error)
            }
        }
    }

    // MARK: Steps

    /// Ends the current event and announces that a save begins. Returns whether there is anything to
    /// save.
    ///
    /// - Throws: `.wrongThread`, `.saveUnderWay`.
    func begin() throws(GraphError) -> Bool {
        try context.checkTurn("save")
        let events = context.events
        guard !events.isHeld else { throw .saveUnderWay(context.queue.ownerLock.name) }
        events.end()
        // Delete rules that were deferred until the save may affect objects that were never in a store.
        guard context.hasChanges || !events.deletions.isEmpty else { return false }
        ContextNotifications.postWillSave(in: context)
        events.end()
        return true
    }

    /// Performs the steps that precede the source's part. If one of them fails, the changes that it made
    /// are part of the current event.
    func collect() throws(GraphError) -> Collected {
        if context.kinds.contains(where: { $0.hooks.prepareForSave != nil }) {
            try SaveHooks(context).prepareObjects()
        } else {
            try context.events.deletions.propagate()
        }
        let deleted = context.tracker.deleted
        var validator = Validator(
            deleted.isEmpty ? [] : try DeleteRules(context).denials(of: deleted))
        if context.savingState.validates { try validator.check(context) }
        var collector = ChangeCollector(context)
        var changes = try collector.collect()
        changes.watch = watch
        changes.id = id
        watch?.begin(objectCount: changes.objectCount)
        try watch?.checkCancelled()
        try context.undoing.fillTombstones()
        return Collected(
            changes: changes, orderKeys: collector.orderKeys, moved: collector.moved,
            externalValues: collector.externalValues)
    }

    /// Makes the saved values the stored state of the objects, and ends the event.
    func complete(_ collected: Collected, _ result: SaveResult) -> CompletedSave {
        watch?.finish()
        context.savingState.noteSave()
        context.undoing.registerEvent()
        let event = context.events.close()
        let saved = EventChanges(context.tracker, moving: collected.moved)
        let gone = context.tracker.deleted
        let unkept = objectsNotKept(by: collected.changes)
        let objects = adopt(result, orderKeys: collected.orderKeys)
        // The state is kept until `didSave()` was called, which needs to know that the object was
        // deleted.
        for object in gone { object.state.insert(.deleted) }
        return CompletedSave(
            objects: objects, deleted: gone, unkept: unkept,
            events: resolutions.map(\.event) + [event], changes: saved, pending: result.pending,
            upserts: resolutions.flatMap(\.record.upserts))
    }

    /// Undoes a failed attempt, and lets the merge policy resolve the attempt's conflicts.
    ///
    /// - Throws: The error itself, if it is not about conflicts or the policy does not resolve them. The
    ///   context is then as it was before the save.
    func resolveConflicts(in error: GraphError) throws(GraphError) {
        do {
            resolutions.append(
                try ConflictResolution(of: error, in: context, after: resolutions.count))
        } catch {
            for resolution in resolutions.reversed() { resolution.revert(in: context) }
            context.tracker.prune()
            throw error
        }
    }

    /// Notifies objects, observers and other contexts of the save.
    func finish(_ completed: CompletedSave) {
        Upserts(context).complete(completed.upserts)
        for object in completed.deleted {
            object.didSave()
            context.detach(object)
        }
        let observers = context.observers
        for event in completed.events { observers.announce(event) }
        for object in completed.objects { object.didSave() }
        // This precedes the announcement, which says which state the context reads from now on.
        context.reading.advance()
        observers.announceSave(completed.changes)
        if !completed.unkept.isEmpty {
            for object in completed.unkept { context.remoteChanges.mergeDeletion(of: object) }
            context.events.end()
        }
        let changes = completed.changes
        context.source.feed?.tell(except: context.remoteChanges.inbox) { ObjectIDChanges(changes) }
        context.children.tell(except: context.remoteChanges.inbox) { ObjectIDChanges(changes) }
    }

    // MARK: Adopting the saved state

    /// Returns the objects that were deleted elsewhere and that the save did not store again.
    private func objectsNotKept(by changes: ChangeSet) -> [ManagedObject] {
        let kept = context.tracker.keptByChanges
        guard !kept.isEmpty else { return [] }
        let stored = Set(changes.inserted).union(changes.updated.map(\.id))
        return kept.filter { !stored.contains($0.objectID) && !$0.isDeleted }
    }

    /// Makes the saved values the stored state of the objects. Returns the objects that still exist.
    private func adopt(
        _ result: SaveResult, orderKeys: [ChangeCollector.OrderedRelation: [ObjectID: Int64]]
    ) -> [ManagedObject] {
        let tracker = context.tracker
        let remaining = tracker.objects.filter { !$0.isDeleted && $0.hasChanges }
        let gone = tracker.leaving
        for object in remaining { object.markMembersSaved(orderKeys) }
        // These are the IDs that the previous save replaced. Keeping them forever would be a leak.
        if !context.source.holdsUnsavedObjects { context.replacedIDs.forget() }
        context.remoteChanges.announceIDs(result.permanentIDs)
        for row in result.rows.rows {
            // The rows of other objects are included if derived values depend on the saved ones.
            if let object = context.identityMap[row.id], !object.isFault {
                object.adopt(saved: row)
            }
        }
        for object in gone {
            if object.isInserted {
                context.detach(object, isDeleted: true)
            } else {
                context.identityMap.remove(object.objectID)
            }
        }
        tracker.removeAll()
        context.events.deletions.forgetAbandonedInsertions()
        context.undoing.forgetTombstones()
        context.savingState.assignments = [:]
        return Array(remaining)
    }
}

extension ManagedObject {
    /// Makes the current members of every to-many relationship the stored ones.
    fileprivate final func markMembersSaved(
        _ orderKeys: [ChangeCollector.OrderedRelation: [ObjectID: Int64]]
    ) {
        guard let overlay, overlay.hasUsedMembers else { return }
        for binding in kind.relationships where binding.isToMany {
            guard let slot = binding.storage.objectSlot else { continue }
            // All members of a moved object have new keys.
            let keys = orderKeys[.init(owner: objectID, relationship: binding.relationship)]
            guard keys != nil || overlay.members(at: slot).hasChanges else { continue }
            overlay.updateMembers(at: slot) { $0.markSaved(keys: keys) }
        }
    }

    /// Makes a saved row the object's stored values.
    fileprivate final func adopt(saved row: Row) {
        change(properties(changedBy: row, keepingChanges: false)) {
            if kind.isOnlyRow {
                // Without an overlay, the object is in the same state as after a fetch.
                overlay = nil
            } else {
                overlay?.clearValues()
            }
            self.row = row
            readsRow = true
        }
    }
}

/// The outcome of a save, to be reported to objects and observers.
struct CompletedSave {
    /// The objects that were saved and still exist.
    let objects: [ManagedObject]
    /// The objects that the save deleted. They leave the context after their hook was called.
    let deleted: [ManagedObject]
    /// The objects that were deleted elsewhere and that the save did not store again.
    let unkept: [ManagedObject]
    /// The changes that merging, hooks and delete rules made during the save.
    let events: [EventChanges]
    let changes: EventChanges
    /// The interruption, if the save has taken place but a store could not be written yet.
    let pending: InterruptedSave?
    /// The new objects that have the same unique values as existing objects.
    let upserts: [Upsert]
}
