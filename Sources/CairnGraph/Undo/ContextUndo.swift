import CairnModel
import CairnStore

/// A context's part in undo: registers its events with an undo manager, and takes events back.
final class ContextUndo: ContextPart {
    /// Where events are registered. `nil` if nobody undoes.
    private(set) var manager: UndoManager?
    /// What brings deleted objects back after their deletion is saved.
    private var tombstones: [ObjectIdentifier: Tombstone] = [:]
    /// The IDs that objects were inserted with before they became stored ones. An undo of these insertions
    /// deletes nothing.
    private var upsertedIDs: Set<ObjectID> = []

    /// Whether changes may have to be taken back after they were saved.
    var isRecording: Bool {
        guard let manager else { return false }
        return manager.isUndoRegistrationEnabled && !manager.abandonsOpenGroup
    }

    // MARK: The manager

    /// Gives a new context the manager that main-queue contexts begin with.
    func setDefaultManager() {
        let manager = UndoManager()
        manager.levelsOfUndo = 100
        manager.changesOfUndo = 50_000
        self.manager = manager
        manager.add(self)
    }

    /// Replaces the manager, and drops the context's actions from the one before.
    func setManager(_ manager: UndoManager?) {
        forgetActions()
        self.manager?.closeEventGroup()
        self.manager?.remove(self)
        self.manager = manager
        manager?.add(self)
    }

    /// Drops what could be undone: the changes that it would be undone from are no more.
    func forgetActions() { forgetActions(of: context) }

    /// Drops the actions of the context, which it names itself: in its `deinit` the part cannot reach it.
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

    /// Registers what the current event changed.
    func registerEvent() {
        guard let manager, isRecording else { return }
        let record = UndoRecord(eventOf: context)
        guard !record.isEmpty else { return }
        manager.registerUndo(withTarget: context, changeCount: record.mutations.count) {
            $0.undoing.undo(record)
        }
    }

    /// Takes an event back, as an event of its own, which is registered in turn.
    private func undo(_ record: UndoRecord) {
        context.events.end()
        takeBack(record)
        for (object, events) in record.snapshotEvents where object.owner === context {
            object.awakeFromSnapshotEvents(events)
        }
        context.events.end()
    }

    // MARK: Taking an event back

    /// Makes the changes that take an event back.
    ///
    /// They are changes like others: the current event, and its record, have them. An object that
    /// is not in its store any more is left as it is and reported.
    func takeBack(_ record: UndoRecord) {
        for case .disappeared(let object, let tombstone) in record.mutations {
            bringBack(object, from: tombstone)
        }
        fireFaults(of: record)
        for mutation in record.mutations.reversed()
        where !record.leadsOut(mutation, ofThese: upsertedIDs) {
            do throws(GraphError) {
                try record.revert(mutation)
            } catch {
                context.report(error, of: mutation.object)
            }
        }
        for case .appeared(let object, let id) in record.mutations.reversed()
        where !upsertedIDs.contains(id) {
            takeAway(object)
        }
        for mutation in record.mutations { mutation.object.settleState() }
    }

    /// Fires all faults at once, and not one by one while their values are set.
    private func fireFaults(of record: UndoRecord) {
        var seen: Set<ObjectIdentifier> = []
        let faults = record.mutations.compactMap { mutation in
            mutation.object.isFault && seen.insert(ObjectIdentifier(mutation.object)).inserted
                ? mutation.object : nil
        }
        // Faults that cannot be fired are reported when their values are asked for.
        try? context.faults.fire(faults)
    }

    private func bringBack(_ object: ManagedObject, from tombstone: Tombstone) {
        if object.owner === context {
            guard object.awaitsDeletion else { return }
            context.events.touchIfNeeded(object)
            object.comeBack()
            tombstones[ObjectIdentifier(object)] = nil
            return
        }
        guard object.owner == nil else { return }
        object.change(object.allProperties) { restore(object, from: tombstone) }
    }

    /// Takes back an object that was let go of.
    private func restore(_ object: ManagedObject, from tombstone: Tombstone) {
        guard tombstone.empty(into: object) else { return }
        // If somebody asked for the ID meanwhile, there is a fault that leads nowhere.
        if let impostor = context.identityMap[object.objectID] { context.letGo(of: impostor) }
        context.identityMap.insert(object, for: object.objectID)
        object.owner = context
        context.tracker.note(object, .inserted)
        object.state.subtract([.gone, .deleted])
    }

    private func takeAway(_ object: ManagedObject) {
        guard object.owner === context else { return }
        guard object.isInserted else {
            context.tracker.note(object, .deleted)
            return
        }
        context.events.touchIfNeeded(object)
        if isRecording { fill(tombstone(of: object), from: object) }
        context.letGo(of: object)
    }

    // MARK: Tombstones

    /// Returns what brings a deleted object back. Makes it if there is none yet.
    func tombstone(of object: ManagedObject) -> Tombstone {
        let key = ObjectIdentifier(object)
        if let tombstone = tombstones[key] { return tombstone }
        let new = Tombstone()
        tombstones[key] = new
        return new
    }

    /// Keeps what deleted objects have, so that they can be brought back after the save.
    ///
    /// - Throws: `.store`.
    func fillTombstones() throws(GraphError) {
        guard !tombstones.isEmpty else { return }
        let objects = context.tracker.objects.filter {
            $0.awaitsDeletion && tombstones[ObjectIdentifier($0)] != nil
        }
        try context.faults.fire(Array(objects))
        for (kind, objects) in DeleteRules.grouped(Array(objects)) {
            for binding in kind.relationships where binding.isToMany {
                try context.faults.loadMembers(binding, of: objects)
            }
        }
        for object in objects { try tombstone(of: object).fill(from: object, in: context) }
    }

    /// Keeps what a new object has that was deleted before it was ever saved, if undo may bring it back.
    func keepAbandoned(_ object: ManagedObject) {
        guard let tombstone = tombstones.removeValue(forKey: ObjectIdentifier(object)) else {
            return
        }
        fill(tombstone, from: object)
    }

    private func fill(_ tombstone: Tombstone, from object: ManagedObject) {
        // A new object keeps nothing outside of itself, so there is nothing that may fail.
        try? tombstone.fill(from: object, in: context)
    }

    /// Forgets what would bring an object back, because its record has it.
    func forgetTombstone(of object: ManagedObject) { tombstones[ObjectIdentifier(object)] = nil }

    /// Forgets what would bring objects back whose deletion was saved or taken back.
    func forgetTombstones() { tombstones = [:] }

    /// Notes the IDs of insertions that an undo leaves alone, because their objects became stored ones.
    func note(upsertedIDs ids: [ObjectID]) { upsertedIDs.formUnion(ids) }
}

extension ContextUndo: UndoParticipant {
    var isOnMainQueue: Bool { context.concurrencyType == .mainQueue }

    var isSavingInBackground: Bool { context.savingState.isSavingInBackground }

    /// Outside of its turns a context has no changes that are not registered yet.
    func registerPendingChanges() {
        if context.queue.isCurrent { context.processPendingChanges() }
    }
}

extension ManagedObject {
    /// An object whose changes were taken back has none to save.
    fileprivate final func settleState() {
        guard owner != nil, !isInserted else { return }
        let hasChanges = overlay.map { !$0.dirty.isEmpty || $0.hasChangedMembers } ?? false
        if !hasChanges { state.remove(.updated) }
    }
}
