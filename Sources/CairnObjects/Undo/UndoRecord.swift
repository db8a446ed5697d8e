import CairnModel
import CairnRows
import CairnStack

/// The information for undoing an event: its changes, in the order in which they were made.
///
/// The record holds the changed objects. It contains one entry for each changed value, however often it
/// was set, one for each changed member, and the changed part of each order.
struct UndoRecord {
    private(set) var mutations: ContiguousArray<Mutation> = []
    /// The objects of temporary IDs in the mutations, because these IDs may be replaced before the
    /// mutations are reverted.
    private var references = TemporaryReferences()

    /// Creates the record of a context's current event.
    init(eventOf context: ManagedObjectContext) {
        for touch in context.events.journal.touches { appendChanges(of: touch, in: context) }
        mutations += context.events.journal.finishedSteps(in: context)
        noteReferences(in: context)
    }

    var isEmpty: Bool { mutations.isEmpty }

    /// The objects that undoing the event changes, each once, with the kind of change.
    var snapshotEvents: [(ManagedObject, SnapshotEvents)] {
        var seen: Set<ObjectIdentifier> = []
        return mutations.compactMap { mutation in
            guard seen.insert(ObjectIdentifier(mutation.object)).inserted else { return nil }
            switch mutation {
            case .appeared(let object, _): return (object, .undoInsertion)
            case .disappeared(let object, _): return (object, .undoDeletion)
            default: return (mutation.object, .undoUpdate)
            }
        }
    }

    private mutating func appendChanges(
        of touch: MutationJournal.Touch, in context: ManagedObjectContext
    ) {
        let object = touch.object
        switch (touch.state.staysInContext, object.state.staysInContext) {
        case (false, false): return
        case (false, true) where object.state.contains(.insertedInEvent):
            mutations.append(.appeared(object, object.objectID))
            appendDestinations(of: object)
        case (false, true):
            // The object may have led to one that was inserted and deleted in one event, and does not return.
            mutations.append(.appeared(object, object.objectID))
            appendValues(of: object, object.overlay, in: context) {
                guard case .objectID(let id) = $0, id.isTemporary else { return true }
                return context.identityMap[id] != nil
            }
        case (true, false):
            let tombstone = context.undoing.tombstone(of: object)
            if object.state.contains(.gone), tombstone.isEmpty {
                // The object was deleted elsewhere, so this context has nothing to undo.
                context.undoing.forgetTombstone(of: object)
                return
            }
            mutations.append(.disappeared(object, tombstone))
            if object.state.contains(.gone) { context.undoing.forgetTombstone(of: object) }
            appendValues(of: object, object.overlay ?? tombstone.overlay, in: context)
        case (true, true): appendValues(of: object, object.overlay, in: context)
        }
    }

    private mutating func appendValues(
        of object: ManagedObject, _ overlay: Overlay?, in context: ManagedObjectContext,
        where canReturn: (Value) -> Bool = { _ in true }
    ) {
        for (slot, before, _) in context.events.journal.valueChanges(of: object, overlay: overlay)
        where canReturn(before) {
            mutations.append(.value(object, slot: slot, before))
        }
    }

    /// Appends the destinations of a new object. Its attributes appear and disappear with it, but its
    /// destinations do not: if the object was saved in the meantime, undoing deletes it, and its delete
    /// rules must find only the destinations that it had before.
    private mutating func appendDestinations(of object: ManagedObject) {
        for relationship in object.kind.relationships where !relationship.isToMany {
            guard let slot = relationship.storage.rowSlot,
                object.overlay?.value(at: slot).map(\.isNull) == false
            else { continue }
            mutations.append(.value(object, slot: slot, .null))
        }
    }

    private mutating func noteReferences(in context: ManagedObjectContext) {
        for mutation in mutations {
            switch mutation {
            case .value(_, _, let value), .transient(_, _, let value):
                references.note(value, in: context)
            case .added(_, _, let id), .removed(_, _, let id), .moved(_, _, let id, _, _):
                references.note(id, in: context)
            case .order(_, _, let change):
                for id in change.before { references.note(id, in: context) }
                for id in change.after { references.note(id, in: context) }
            case .appeared, .disappeared: break
            }
        }
    }
}

extension UndoRecord {
    /// Returns whether a change is one end of a relationship to an object that left the context because
    /// another object has the same unique values. The other end of such a change cannot be undone.
    ///
    /// - Parameter ids: The IDs with which such objects were inserted.
    func leadsOut(_ mutation: Mutation, ofThese ids: Set<ObjectID>) -> Bool {
        guard !ids.isEmpty, let id = mutation.destinationID, ids.contains(id) else { return false }
        return references.object(id)?.owner == nil
    }

    /// Undoes a mutation, using the objects' current IDs.
    ///
    /// - Throws: `.objectGone`, `.store`.
    func revert(_ mutation: Mutation) throws(GraphError) {
        switch mutation.replacingIDs(references.current) {
        case .value(let object, let slot, let value): try object.write(value, at: slot)
        case .transient(let object, let slot, let value):
            try object.write(value, atExtra: slot)
        case .added(let object, let relationship, let id):
            try object.writeMembers(relationship, .remove(id))
        case .removed(let object, let relationship, let id):
            try object.writeMembers(relationship, .add(id, keepsOrder: false))
        case .moved(let object, let relationship, let id, let from, _):
            try moveBack(id, to: from, in: object, relationship)
        case .order(let object, let relationship, let change):
            let order = change.revert(try object.loadedMembers(relationship).current)
            try object.writeMembers(relationship, .replace(order))
        case .appeared, .disappeared: break
        }
    }

    /// Moves a member back to its former index, or to the end if other members were removed in the
    /// meantime.
    private func moveBack(
        _ id: ObjectID, to index: Int, in object: ManagedObject,
        _ relationship: RelationshipBinding
    ) throws(GraphError) {
        let last = try object.loadedMembers(relationship).count - 1
        guard last >= 0 else { return }
        try object.writeMembers(relationship, .move(id, to: min(index, last)))
    }
}

/// The objects that temporary IDs refer to, so that records with these IDs can still be read after a save
/// has replaced the IDs.
struct TemporaryReferences {
    private var objects: [ObjectID: ManagedObject] = [:]

    /// Notes the object of an ID if the ID is temporary and the context has the object.
    mutating func note(_ id: ObjectID, in context: ManagedObjectContext) {
        guard id.isTemporary, objects[id] == nil, let object = context.identityMap[id] else {
            return
        }
        objects[id] = object
    }

    mutating func note(_ value: Value, in context: ManagedObjectContext) {
        if case .objectID(let id) = value { note(id, in: context) }
    }

    /// Returns the object that was noted for an ID.
    func object(_ id: ObjectID) -> ManagedObject? { objects[id] }

    /// Returns the current ID of the same object.
    func current(_ id: ObjectID) -> ObjectID {
        id.isTemporary ? objects[id]?.objectID ?? id : id
    }

    /// The noted IDs that were replaced, with the current IDs of their objects.
    var replaced: IDReplacements {
        var replaced = IDReplacements()
        for (id, object) in objects where object.objectID != id { replaced[id] = object.objectID }
        return replaced
    }
}

/// The information for restoring an object that has left its context.
///
/// A tombstone is created with the record of the event that deleted the object. It is filled before the
/// object leaves the context: when the deletion is saved, or when the object's insertion is undone.
final class Tombstone {
    private var remains: Remains?

    private struct Remains {
        let overlay: Overlay
        let row: Row?
        /// Values that the store keeps outside the row, and may delete with the row.
        var externalValues: [RowSlot: Value] = [:]
        var references = TemporaryReferences()
    }

    /// Whether the tombstone has not been filled.
    var isEmpty: Bool { remains == nil }

    /// The overlay of the object, or `nil` if the tombstone has not been filled.
    var overlay: Overlay? { remains?.overlay }

    /// Fills the tombstone with the current values of the object.
    ///
    /// - Throws: `.store` if a value that is stored outside the row cannot be read.
    func fill(
        from object: ManagedObject, in context: ManagedObjectContext
    ) throws(GraphError) {
        var remains = Remains(overlay: object.writableOverlay, row: object.row)
        remains.externalValues = try object.externalValues()
        remains.overlay.forEachID { remains.references.note($0, in: context) }
        self.remains = remains
    }

    /// Gives the object its previous values, as unsaved values, and empties the tombstone. Returns
    /// `false` if the tombstone has not been filled.
    func empty(into object: ManagedObject) -> Bool {
        guard let remains else { return false }
        self.remains = nil
        let overlay = remains.overlay
        overlay.replaceIDs(remains.references.replaced, of: object.kind)
        if let row = remains.row {
            let values = object.kind.layout.slots.map { slot in
                overlay.value(at: slot.rowSlot) ?? remains.externalValues[slot.rowSlot]
                    ?? row.value(slot)
            }
            overlay.setAll(PerSlot(ContiguousArray(values)))
            overlay.updateAllMembers { $0.markUnsaved() }
        }
        object.row = nil
        object.overlay = overlay
        object.readsRow = false
        return true
    }
}
