import CairnModel
import CairnStore

extension ManagedObjectContext {
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
                report(error, of: mutation.object)
            }
        }
        for case .appeared(let object, let id) in record.mutations.reversed()
        where !upsertedIDs.contains(id) {
            takeAway(object)
        }
        for mutation in record.mutations { mutation.object.settleState() }
    }

    /// All at once, and not one by one while their values are set.
    private func fireFaults(of record: UndoRecord) {
        var seen: Set<ObjectIdentifier> = []
        let faults = record.mutations.compactMap { mutation in
            mutation.object.isFault && seen.insert(ObjectIdentifier(mutation.object)).inserted
                ? mutation.object : nil
        }
        // Those that could not be had are reported when they are asked for.
        try? self.faults.fire(faults)
    }

    private func bringBack(_ object: ManagedObject, from tombstone: Tombstone) {
        if object.owner === self {
            guard object.awaitsDeletion else { return }
            if !object.state.contains(.touched) { touch(object, for: .updated) }
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
        // Who asked for the ID meanwhile got a fault that leads nowhere.
        if let impostor = identityMap[object.objectID] { letGo(of: impostor) }
        identityMap.insert(object, for: object.objectID)
        object.owner = self
        tracker.note(object, .inserted)
        object.state.subtract([.gone, .deleted])
    }

    private func takeAway(_ object: ManagedObject) {
        guard object.owner === self else { return }
        guard object.isInserted else {
            tracker.note(object, .deleted)
            return
        }
        if !object.state.contains(.touched) { touch(object, for: .updated) }
        // A new object keeps nothing outside of itself, so there is nothing that may fail.
        if isRecordingUndo { try? tombstone(of: object).fill(from: object, in: self) }
        letGo(of: object)
    }

    /// What brings a deleted object back, made where there is none yet.
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
        let objects = tracker.objects.filter {
            $0.awaitsDeletion && tombstones[ObjectIdentifier($0)] != nil
        }
        try faults.fire(Array(objects))
        for (kind, objects) in DeleteRules.grouped(Array(objects)) {
            for binding in kind.relationships where binding.isToMany {
                try faults.loadMembers(binding, of: objects)
            }
        }
        for object in objects { try tombstone(of: object).fill(from: object, in: self) }
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
