import CairnModel
import CairnRows
import CairnStack

/// Completes the resolution of conflicts between new objects and others with the same unique values: in
/// their context, in its children, and in undo. See docs/decisions/saving-and-conflicts.md.
struct Upserts {
    private let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) {
        self.context = context
    }

    /// Completes resolutions after the save has succeeded. The IDs of new objects that were replaced
    /// then refer to the objects that have their values, including in child contexts.
    func complete(_ upserts: [Upsert]) {
        guard !upserts.isEmpty else { return }
        // A new object that replaced another one may itself have been replaced later.
        let winners = Dictionary(
            upserts.map { (ObjectIdentifier($0.object), $0.winner) }, uniquingKeysWith: { $1 })
        var newIDs = IDReplacements()
        for upsert in upserts {
            var winner = upsert.winner
            while let next = winners[ObjectIdentifier(winner)], next !== winner { winner = next }
            guard winner.owner === context else { continue }
            context.undoing.note(upsertedIDs: upsert.recordedIDs)
            if upsert.formerID != winner.objectID { newIDs[upsert.formerID] = winner.objectID }
            if upsert.object.owner == nil { upsert.object.showValues(of: winner) }
        }
        context.remoteChanges.announceIDs(newIDs)
        let ids = newIDs.map { $0.new }
        context.children.forEach { $0.tell(upserted: ids) }
    }

    /// Handles objects of this child that have become stored objects, with values that the child has not
    /// read.
    func read(_ ids: [ObjectID]) {
        for id in ids {
            guard let object = context.identityMap[context.currentID(id)], !object.hasChanges,
                !object.isFault
            else { continue }
            context.events.noteRefreshed(object)
            object.turnIntoFault(keepingChanges: false)
        }
    }

    /// Removes an object of this child because another object already has its new ID. The object's
    /// unsaved changes are transferred to the other object.
    func replace(_ object: ManagedObject, by winner: ManagedObject) {
        let row = winner.row ?? object.row
        for slot in object.overlay?.dirty ?? RowSlotSet() {
            guard object.kind === winner.kind, let value = object.overlay?.value(at: slot) else {
                continue
            }
            do {
                try winner.write(value, at: slot)
            } catch {
                context.report(error, of: winner)
            }
        }
        context.detach(object)
        context.tracker.noteIdle()
        object.objectID = winner.objectID
        if object.kind === winner.kind { object.show(row) }
        object.state.insert(.superseded)
    }
}

extension ManagedObject {
    /// Makes an object that left its context act as the object that has its values. If that object
    /// cannot be accessed, its stored values are used.
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

    /// Stores a row for use when the other object cannot be accessed. The row is not read directly; see
    /// ``ManagedObject/successor``.
    fileprivate final func show(_ row: Row?) {
        change(allProperties) {
            self.row = row
            _ = writableOverlay
            readsRow = false
        }
    }
}

/// The resolution of a conflict between a new object and a stored object or another new object with the
/// same unique values.
struct Upsert {
    /// The new object.
    let object: ManagedObject
    /// The ID of the new object before the resolution.
    let formerID: ObjectID
    /// The IDs under which undo may have recorded the insertion. Empty if there is no undo manager.
    let recordedIDs: [ObjectID]
    /// The object that keeps the unique values. This is the new object itself if it became the stored
    /// object.
    let winner: ManagedObject
}
