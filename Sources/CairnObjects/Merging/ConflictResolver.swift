import CairnModel
import CairnRows
import CairnStack

/// Resolves the conflicts of a save on behalf of a ``MergePolicy``.
///
/// If the save fails nevertheless, all changes made by the resolver are reverted.
public struct ConflictResolver {
    /// The context that is being saved, in its state before the save.
    public let context: ManagedObjectContext
    /// Records what must be reverted if the save fails.
    let record: ResolutionRecord

    init(_ context: ManagedObjectContext, recordingIn record: ResolutionRecord) {
        self.context = context
        self.record = record
    }

    /// Changes relationships at both ends.
    var links: LinkEditor { LinkEditor(context) }

    /// The side whose value of a property is used.
    public enum Side: Sendable, Hashable {
        /// The context's value.
        case object
        /// The value that others saved.
        case store
    }

    /// Returns the object of a conflict, for further changes after the conflict was resolved. Returns
    /// `nil` if resolving the conflict removed the object from the context.
    public func object(of conflict: MergeConflict) -> ManagedObject? {
        context.registeredObject(for: conflict.objectID)
    }

    /// Merges the changes of both sides. A property that only one side changed gets that side's value. A
    /// property that both sides changed gets the value of the chosen side.
    ///
    /// If one side deleted the object, `choose` is called once with an empty name, and determines
    /// whether the context's or the stored state of the whole object is used.
    ///
    /// - Throws: `.store`; `.objectGone` if the other end of a relationship cannot be fetched; the error
    ///   that `choose` throws.
    public func merge(
        _ conflict: MergeConflict, choosing choose: (_ name: String) throws -> Side
    ) throws {
        guard let object = object(of: conflict) else { return }
        guard let stored = conflict.stored, !object.isDeleted else {
            return try choose("") == .object ? overwrite(conflict) : discard(conflict)
        }
        remember(object)
        for slot in object.overlay?.dirty ?? RowSlotSet() {
            let layoutSlot = object.kind.layout[slot]
            let before = object.row.map { object.raw(layoutSlot, in: $0) } ?? .null
            guard before != object.raw(layoutSlot, in: stored) else { continue }
            let property = object.kind.layout.property(at: slot)
            if try choose(property.name) == .store {
                try links.take(object.raw(layoutSlot, in: stored), at: slot, of: object)
            }
        }
        object.rebase(on: stored)
        try links.releaseStoredPartners(of: object)
    }

    /// Replaces the stored object with the context's version of it. If the context deleted the object,
    /// it is still deleted, unless a delete rule did that which no longer applies, because others moved the
    /// object. If others deleted the object, it is stored again, with its former ID.
    ///
    /// If others deleted the object, to-one relationships of other objects to it stay as the deletion
    /// left them.
    ///
    /// - Throws: `.store`, `.objectGone`.
    public func overwrite(_ conflict: MergeConflict) throws(GraphError) {
        guard let object = object(of: conflict) else { return }
        remember(object)
        guard let stored = conflict.stored else {
            return object.isDeleted ? detachDeleted(object) : try object.restoreInserted()
        }
        if object.isDeleted {
            object.rebase(on: stored)
            return try applyDeleteRules()
        }
        var values = ContiguousArray<Value>()
        for slot in object.kind.layout.rowSlots { values.append(try object.value(at: slot)) }
        object.writableOverlay.setAll(PerSlot(values))
        object.rebase(on: stored)
        try links.releaseStoredPartners(of: object)
    }

    /// Discards the context's changes to the object, including its deletion. If others deleted the
    /// object, it leaves the context. With a deletion, the deletions are discarded that only its delete rules
    /// caused, and those of the objects that it refers to.
    ///
    /// - Throws: `.store`, `.objectGone`.
    public func discard(_ conflict: MergeConflict) throws(GraphError) {
        guard let object = object(of: conflict) else { return }
        guard let stored = conflict.stored else {
            remember(object)
            try links.unlink(object)
            return detachDeleted(object)
        }
        remember(object)
        // First, so that relationships return to what is stored now, and not to what was read.
        object.rebase(on: stored)
        try revertChanges(of: object)
        let wasDeleted = object.isDeleted
        if wasDeleted {
            object.cancelDeletion()
            try links.relink(object)
        }
        object.endUpdate()
        context.events.noteRefreshed(object)
        if wasDeleted { try takeBackDeletions(ofDestinationsOf: object) }
    }
}

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

    // MARK: New objects with others' unique values, see docs/decisions/saving-and-conflicts.md

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
