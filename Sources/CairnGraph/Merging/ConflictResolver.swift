import CairnModel
import CairnStore

/// Resolves the conflicts of a save; what a ``MergePolicy`` works with.
///
/// Everything it does is taken back where the save fails after all.
public struct ConflictResolver {
    /// The context that saves, as it was before the save.
    public let context: ManagedObjectContext
    /// What is to be taken back if the save fails after all.
    let record: ResolutionRecord

    init(_ context: ManagedObjectContext, recordingIn record: ResolutionRecord) {
        self.context = context
        self.record = record
    }

    /// Changes relationships at both ends.
    var links: LinkEditor { LinkEditor(context) }

    /// Whose value of a property counts.
    public enum Side: Sendable, Hashable {
        /// The context's.
        case object
        /// What others saved.
        case store
    }

    /// Returns the object of a conflict, to be changed after the conflict was resolved; nil where
    /// resolving let go of it.
    public func object(of conflict: MergeConflict) -> ManagedObject? {
        context.registeredObject(for: conflict.objectID)
    }

    /// Brings what both sides changed together: a property that one side changed has that side's
    /// value, one that both changed has the value of the side chosen for it.
    ///
    /// A deletion, on either side, is a change of the object as a whole: the choice for the empty
    /// name `""` decides.
    ///
    /// - Throws: `.store`, `.objectGone` where the other end of a relationship cannot be fetched.
    public func merge(
        _ conflict: MergeConflict, choosing choose: (_ name: String) throws -> Side
    ) throws {
        guard let object = object(of: conflict) else { return }
        guard let stored = conflict.stored, !object.isDeleted else {
            return try choose("") == .object ? overwrite(conflict) : discard(conflict)
        }
        remember(object)
        for slot in object.overlay?.dirty ?? RowSlotSet() {
            let place = object.kind.layout[slot]
            let before = object.row.map { object.raw(place, in: $0) } ?? .null
            guard before != object.raw(place, in: stored) else { continue }
            let property = object.kind.layout.property(at: slot)
            if try choose(property.name) == .store {
                try links.take(object.raw(place, in: stored), at: slot, of: object)
            }
        }
        object.rebase(on: stored)
    }

    /// Has the object as the context has it replace what is stored. A deletion goes on; an object
    /// that others deleted is stored again, with the ID that it had.
    ///
    /// To-one relationships of other objects that led to a deleted one stay as the deletion left
    /// them.
    ///
    /// - Throws: `.store`, `.objectGone`.
    public func overwrite(_ conflict: MergeConflict) throws(GraphError) {
        guard let object = object(of: conflict) else { return }
        remember(object)
        guard let stored = conflict.stored else {
            return object.isDeleted ? letGo(ofDeleted: object) : try object.beNewAgain()
        }
        if object.isDeleted { return object.rebase(on: stored) }
        var values = ContiguousArray<Value>()
        for slot in object.kind.layout.rowSlots { values.append(try object.value(at: slot)) }
        object.writableOverlay.setAll(PerSlot(values))
        object.rebase(on: stored)
    }

    /// Forgets the context's changes to the object, its deletion too; one that others deleted is let
    /// go of. Objects that a deletion took along by cascades stay deleted.
    ///
    /// - Throws: `.store`, `.objectGone`.
    public func discard(_ conflict: MergeConflict) throws(GraphError) {
        guard let object = object(of: conflict) else { return }
        guard let stored = conflict.stored else {
            remember(object)
            try links.unlink(object)
            return letGo(ofDeleted: object)
        }
        remember(object)
        try takeBackChanges(of: object)
        if object.isDeleted {
            object.comeBack()
            try links.relink(object)
        }
        object.state.remove(.updated)
        object.rebase(on: stored)
        context.events.noteRefreshed(object)
    }
}
