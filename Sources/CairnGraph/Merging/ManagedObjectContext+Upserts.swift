import CairnModel
import CairnStore

/// New objects that share unique values with stored ones; decision 0113.
extension ManagedObjectContext {
    /// Whether a new object can become the stored object of the row: nobody has that one, and both are
    /// of one entity.
    func canBecomeStored(_ object: ManagedObject, _ row: Row) -> Bool {
        object.kind.number == row.entity && identityMap[currentID(row.id)] == nil
    }

    /// Makes a new object the stored one of the row, with that one's ID and values. Nothing leads to
    /// the object any more, and what it had is dropped, but for transient values.
    ///
    /// - Throws: `.store`, `.objectGone`.
    func becomeStored(_ object: ManagedObject, _ row: Row) throws(GraphError) {
        remember(object)
        try unlink(object)
        note(object, yieldingTo: object)
        identityMap.remove(object.objectID)
        object.change(object.allProperties) {
            object.objectID = currentID(row.id)
            object.overlay = nil
            object.row = row
            object.readsRow = true
            object.state.remove(.inserted)
        }
        identityMap.insert(object, for: object.objectID)
        tracker.noteIdle()
    }

    /// Takes the insertion of an object back whose unique values another one has.
    ///
    /// - Throws: `.store`, `.objectGone`.
    func discard(
        inserted object: ManagedObject, inFavorOf winner: ManagedObject?
    ) throws(GraphError) {
        if let winner { note(object, yieldingTo: winner) }
        try discard(inserted: object)
    }

    private func note(_ object: ManagedObject, yieldingTo winner: ManagedObject) {
        let id = object.objectID
        var recordedIDs: [ObjectID] = []
        if recordedUndo != nil {
            recordedIDs = [id]
            // It may have been recorded before it was given a permanent ID.
            if !id.isTemporary { recordedIDs += replacedIDs.filter { $0.new == id }.map { $0.old } }
        }
        upserts.append(
            Upsert(object: object, formerID: id, recordedIDs: recordedIDs, winner: winner))
    }

    /// Completes what was resolved, after the save has succeeded: IDs of new objects that gave way lead
    /// to the objects that have their values, in children too.
    func complete(_ upserts: [Upsert]) {
        guard !upserts.isEmpty else { return }
        // One that gave way to another new object may have seen that one give way later.
        let winners = Dictionary(
            upserts.map { (ObjectIdentifier($0.object), $0.winner) }, uniquingKeysWith: { $1 })
        var newIDs = IDReplacements()
        for upsert in upserts {
            var winner = upsert.winner
            while let next = winners[ObjectIdentifier(winner)], next !== winner { winner = next }
            guard winner.owner === self else { continue }
            upsertedIDs.formUnion(upsert.recordedIDs)
            if upsert.formerID != winner.objectID { newIDs[upsert.formerID] = winner.objectID }
            if upsert.object.owner == nil { upsert.object.showValues(of: winner) }
        }
        announceIDs(newIDs)
        let ids = newIDs.map { $0.new }
        children.forEach { $0.tell(upserted: ids) }
    }

    /// Takes in that objects of this child are stored ones now, with values that the child has not
    /// read.
    func readUpserts() {
        for id in inbox.takeUpserted() {
            guard let object = identityMap[currentID(id)], !object.hasChanges, !object.isFault
            else { continue }
            noteRefreshed(object)
            object.turnIntoFault(keepingChanges: false)
        }
    }

    /// Lets go of an object of this child, because another one has the ID that it would get. Its
    /// unsaved changes are the other one's from now on.
    func replace(_ object: ManagedObject, by winner: ManagedObject) {
        let row = winner.row ?? object.row
        for slot in object.overlay?.dirty ?? RowSlotSet() {
            guard object.kind === winner.kind, let value = object.overlay?.value(at: slot) else {
                continue
            }
            do throws(GraphError) {
                try winner.write(value, at: slot)
            } catch {
                report(error, of: winner)
            }
        }
        letGo(of: object)
        tracker.noteIdle()
        object.objectID = winner.objectID
        if object.kind === winner.kind { object.show(row) }
        object.state.insert(.superseded)
    }
}

extension ManagedObject {
    /// Has an object that left its context answer as the object that has its values, and where that one
    /// cannot be asked with what was stored.
    fileprivate final func showValues(of winner: ManagedObject) {
        objectID = winner.objectID
        state.insert(.superseded)
        if kind === winner.kind { return show(winner.row) }
        var values = ContiguousArray<Value>()
        for slot in kind.layout.rowSlots {
            let name = kind.layout.property(at: slot).name
            let slot = winner.kind.layout.slot(named: name)
            values.append(slot.flatMap { try? winner.value(at: $0.rowSlot) } ?? .null)
        }
        change(allProperties) { writableOverlay.setAll(PerSlot(values)) }
    }

    /// Keeps a row for when the other object cannot be asked. It is not read directly: see
    /// ``ManagedObject/successor``.
    fileprivate final func show(_ row: Row?) {
        change(allProperties) {
            self.row = row
            _ = writableOverlay
            readsRow = false
        }
    }
}
