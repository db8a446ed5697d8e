import CairnModel
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
            mutations.append(.appeared(object, object.objectID))
            appendValues(of: object, object.overlay, in: context)
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
        of object: ManagedObject, _ overlay: Overlay?, in context: ManagedObjectContext
    ) {
        for (slot, before, _) in context.events.journal.valueChanges(of: object, overlay: overlay) {
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
