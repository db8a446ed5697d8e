import CairnModel
import CairnStore

/// Completes what became of new objects that share unique values with others: in their context, in
/// its children, and in undo. See decision 0113.
struct Upserts {
    private let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) {
        self.context = context
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
            guard winner.owner === context else { continue }
            context.undoing.note(upsertedIDs: upsert.recordedIDs)
            if upsert.formerID != winner.objectID { newIDs[upsert.formerID] = winner.objectID }
            if upsert.object.owner == nil { upsert.object.showValues(of: winner) }
        }
        context.remoteChanges.announceIDs(newIDs)
        let ids = newIDs.map { $0.new }
        context.children.forEach { $0.tell(upserted: ids) }
    }

    /// Takes in that objects of this child are stored ones now, with values that the child has not
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
                context.report(error, of: winner)
            }
        }
        context.letGo(of: object)
        context.tracker.noteIdle()
        object.objectID = winner.objectID
        if object.kind === winner.kind { object.show(row) }
        object.state.insert(.superseded)
    }
}

extension ManagedObject {
    /// Has an object that left its context answer as the object that has its values, and with what
    /// was stored if that one cannot be asked.
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
