import CairnModel
import CairnStack
import CairnUndo

/// A context's connection to an undo manager. It registers the context's events and undoes them.
final class ContextUndo: ContextPart {
    /// The undo manager that events are registered with. `nil` if undo is not used.
    private(set) var manager: UndoManager?
    /// The information for restoring deleted objects after their deletion was saved.
    private var tombstones: [ObjectIdentifier: Tombstone] = [:]
    /// The IDs of inserted objects that later became stored objects. Undoing these insertions deletes
    /// nothing.
    private var upsertedIDs: Set<ObjectID> = []

    /// Whether changes may have to be undone after they were saved.
    var isRecording: Bool {
        guard let manager else { return false }
        return manager.isUndoRegistrationEnabled && !manager.abandonsOpenGroup
    }

    // MARK: The manager

    /// Sets the default undo manager of a new main-queue context.
    func setDefaultManager() {
        let manager = UndoManager()
        manager.levelsOfUndo = 100
        manager.changesOfUndo = 50_000
        self.manager = manager
        manager.add(self)
    }

    /// Replaces the undo manager, and removes the context's actions from the previous one.
    func setManager(_ manager: UndoManager?) {
        forgetActions()
        self.manager?.closeEventGroup()
        self.manager?.remove(self)
        self.manager = manager
        manager?.add(self)
    }

    /// Removes the context's actions, because the changes that they would undo no longer exist.
    func forgetActions() { forgetActions(of: context) }

    /// Removes the actions of a context. The context is a parameter because this object cannot access it
    /// during the context's `deinit`.
    func forgetActions(of context: ManagedObjectContext) {
        manager?.removeAllActions(withTarget: context)
        upsertedIDs = []
    }

    // MARK: Events

    /// Notes that an event begins.
    func beginEvent() {
        if isRecording { manager?.beginEvent() }
    }

    /// Notes that a turn ends.
    func endEvent() { manager?.endEvent() }

    /// Registers the changes of the current event.
    func registerEvent() {
        guard let manager, isRecording else { return }
        let record = UndoRecord(eventOf: context)
        guard !record.isEmpty else { return }
        manager.registerUndo(withTarget: context, changeCount: record.mutations.count) {
            $0.undoing.undo(record)
        }
    }

    /// Undoes an event. This is an event of its own, which is also registered.
    private func undo(_ record: UndoRecord) {
        context.events.end()
        revert(record)
        for (object, events) in record.snapshotEvents where object.owner === context {
            object.awakeFromSnapshotEvents(events)
        }
        context.events.end()
    }

    // MARK: Undoing an event

    /// Makes the changes that undo an event.
    ///
    /// They are ordinary changes, which become part of the current event and its record. An object that
    /// is no longer in its store is left unchanged and reported.
    func revert(_ record: UndoRecord) {
        for case .disappeared(let object, let tombstone) in record.mutations {
            restoreDeleted(object, from: tombstone)
        }
        fireFaults(of: record)
        for mutation in record.mutations.reversed()
        where !record.leadsOut(mutation, ofThese: upsertedIDs) {
            do {
                try record.revert(mutation)
            } catch {
                context.report(error, of: mutation.object)
            }
        }
        for case .appeared(let object, let id) in record.mutations.reversed()
        where !upsertedIDs.contains(id) {
            remove(object)
        }
        for mutation in record.mutations { mutation.object.settleState() }
    }

    /// Fires all faults at once, which is faster than firing them one by one when their values are set.
    private func fireFaults(of record: UndoRecord) {
        var seen: Set<ObjectIdentifier> = []
        let faults = record.mutations.compactMap { mutation in
            mutation.object.isFault && seen.insert(ObjectIdentifier(mutation.object)).inserted
                ? mutation.object : nil
        }
        // Faults that cannot be fired report the failure when their values are needed.
        try? context.faults.fire(faults)
    }

    private func restoreDeleted(_ object: ManagedObject, from tombstone: Tombstone) {
        if object.owner === context {
            guard object.awaitsDeletion else { return }
            context.events.touchIfNeeded(object)
            object.cancelDeletion()
            tombstones[ObjectIdentifier(object)] = nil
            return
        }
        guard object.owner == nil else { return }
        object.change(object.allProperties) { restore(object, from: tombstone) }
    }

    /// Restores an object that had left the context.
    private func restore(_ object: ManagedObject, from tombstone: Tombstone) {
        guard tombstone.empty(into: object) else { return }
        // If other code has requested the ID in the meantime, the context has a fault without a row.
        if let impostor = context.identityMap[object.objectID] { context.detach(impostor) }
        context.identityMap.insert(object, for: object.objectID)
        object.owner = context
        context.tracker.note(object, .inserted)
        object.state.subtract([.gone, .deleted, .deletedElsewhere])
    }

    private func remove(_ object: ManagedObject) {
        guard object.owner === context else { return }
        guard object.isInserted else {
            context.tracker.note(object, .deleted)
            return
        }
        context.events.touchIfNeeded(object)
        if isRecording { fill(tombstone(of: object), from: object) }
        context.detach(object)
    }

    // MARK: Tombstones

    /// Returns the tombstone of a deleted object. Creates it if necessary.
    func tombstone(of object: ManagedObject) -> Tombstone {
        let key = ObjectIdentifier(object)
        if let tombstone = tombstones[key] { return tombstone }
        let new = Tombstone()
        tombstones[key] = new
        return new
    }

    /// Saves the values of deleted objects in their tombstones, so that the objects can be restored after
    /// the save.
    ///
    /// - Throws: `.store`.
    func fillTombstones() throws(GraphError) {
        guard !tombstones.isEmpty else { return }
        let objects = context.tracker.objects.filter {
            $0.awaitsDeletion && tombstones[ObjectIdentifier($0)] != nil
        }
        try context.faults.fireWithMembers(Array(objects))
        for object in objects { try tombstone(of: object).fill(from: object, in: context) }
    }

    /// Saves the values of a new object that was deleted before it was ever saved, if undo may restore
    /// it.
    func keepAbandoned(_ object: ManagedObject) {
        guard let tombstone = tombstones.removeValue(forKey: ObjectIdentifier(object)) else {
            return
        }
        fill(tombstone, from: object)
    }

    private func fill(_ tombstone: Tombstone, from object: ManagedObject) {
        // A new object has no values outside its own memory, so reading them cannot fail.
        try? tombstone.fill(from: object, in: context)
    }

    /// Removes an object's tombstone, because the undo record has it.
    func forgetTombstone(of object: ManagedObject) { tombstones[ObjectIdentifier(object)] = nil }

    /// Removes all tombstones, because the deletions were saved or undone.
    func forgetTombstones() { tombstones = [:] }

    /// Notes the IDs of insertions that undo ignores, because their objects became stored objects.
    func note(upsertedIDs ids: [ObjectID]) { upsertedIDs.formUnion(ids) }
}

extension ContextUndo: UndoParticipant {
    var isOnMainQueue: Bool { context.concurrencyType == .mainQueue }

    var isSavingInBackground: Bool { context.savingState.isSavingInBackground }

    /// A context has unregistered changes only in its turns.
    func registerPendingChanges() {
        if context.queue.isCurrent { context.processPendingChanges() }
    }
}

extension ManagedObject {
    /// Marks an object as unchanged if all of its changes were undone.
    fileprivate final func settleState() {
        guard owner != nil, !isInserted else { return }
        let hasChanges = overlay.map { !$0.dirty.isEmpty || $0.hasChangedMembers } ?? false
        if !hasChanges { endUpdate() }
    }
}
