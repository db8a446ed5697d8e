import CairnModel
import CairnRows
import CairnStack

/// The steps of resolving a conflict. Changes are recorded in the event, and objects that change as a
/// whole are recorded in ``record``, so that all changes can be reverted if the save fails.
extension ConflictResolver {
    /// Records the complete state of an object before it is changed as a whole.
    func remember(_ object: ManagedObject) {
        record.add(ObjectMemento(object))
        context.events.touchIfNeeded(object)
    }

    /// Discards the changes to some properties of a stored object.
    func revert(_ names: [String], of object: ManagedObject) throws(GraphError) {
        guard let row = object.row else { return }
        for name in names {
            guard let slot = object.kind.layout.slot(named: name),
                object.overlay?.dirty.contains(slot.rowSlot) ?? false
            else { continue }
            try links.take(object.raw(slot, in: row), at: slot.rowSlot, of: object)
        }
    }

    /// Discards all changes to a stored object, including those at the other ends of its relationships.
    func revertChanges(of object: ManagedObject) throws(GraphError) {
        try revert(
            (object.overlay?.dirty ?? RowSlotSet()).map {
                object.kind.layout.property(at: $0).name
            }, of: object)
        // Members that store the relationship as their own to-one relationship also keep their changes
        // to it.
        for binding in object.kind.relationships where binding.isToMany && binding.isManyToMany {
            let members = object.knownMembers(binding)
            guard members.hasChanges, let slot = binding.storage.objectSlot else { continue }
            for id in members.added {
                guard let member = context.registeredOrFault(id) else { continue }
                try context.relations.remove(member, from: object, binding)
            }
            for id in members.removed {
                guard let member = context.registeredOrFault(id), !member.isDeleted else {
                    continue
                }
                try context.relations.add(member, to: object, binding)
            }
            remember(object)
            object.overlay?.updateMembers(at: slot) { $0.rollBack() }
        }
    }

    /// Removes an object from the context after others deleted its row.
    func detachDeleted(_ object: ManagedObject) {
        context.detach(object, isElsewhere: true)
        context.tracker.noteIdle()
    }

    // MARK: New objects with the same unique values as other objects, see decision 0113

    /// Whether a new object can become the stored object of a row. This requires that the stored object
    /// is not in the context, and that both belong to the same entity.
    func canBecomeStored(_ object: ManagedObject, _ row: Row) -> Bool {
        object.kind.number == row.entity
            && context.identityMap[context.currentID(row.id)] == nil
    }

    /// Turns a new object into the stored object of a row, with its ID and values. Relationships to the
    /// object are removed, and its own values are discarded, except for transient values.
    ///
    /// - Throws: `.store`, `.objectGone`.
    func becomeStored(_ object: ManagedObject, _ row: Row) throws(GraphError) {
        remember(object)
        try links.unlink(object)
        note(object, yieldingTo: object)
        context.identityMap.remove(object.objectID)
        object.change(object.allProperties) {
            object.objectID = context.currentID(row.id)
            object.overlay = nil
            object.row = row
            object.readsRow = true
            object.state.remove(.inserted)
        }
        context.identityMap.insert(object, for: object.objectID)
        context.tracker.noteIdle()
    }

    /// Undoes the insertion of an object, because another object has the same unique values.
    ///
    /// - Throws: `.store`, `.objectGone`.
    func discard(
        inserted object: ManagedObject, inFavorOf winner: ManagedObject?
    ) throws(GraphError) {
        if let winner { note(object, yieldingTo: winner) }
        try links.unlink(object)
        remember(object)
        context.detach(object)
    }

    private func note(_ object: ManagedObject, yieldingTo winner: ManagedObject) {
        let id = object.objectID
        var recordedIDs: [ObjectID] = []
        if context.undoing.manager != nil {
            recordedIDs = [id]
            // The insertion may have been recorded before the object received a permanent ID.
            if !id.isTemporary { recordedIDs += context.replacedIDs.formerIDs(of: id) }
        }
        record.add(Upsert(object: object, formerID: id, recordedIDs: recordedIDs, winner: winner))
    }
}
