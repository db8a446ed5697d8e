import CairnModel
import CairnRows
import CairnStack

/// The changes that a child context's save passes to its parent, as values without references to the
/// child.
package struct ChildChanges: Sendable {
    /// A new or changed object, with the values that it has in the child.
    struct Changed: Sendable {
        let id: ObjectID
        let row: Row
        /// The row that the child changed. `nil` if the object is new.
        let base: Row?
        let slots: RowSlotSet
        /// The slots that have the initial values of the class of a new object.
        var initialSlots: [RowSlot] = []
    }

    struct Deleted: Sendable {
        let id: ObjectID
        let base: Row?
    }

    /// Changes of a to-many relationship that cannot be derived from the rows of its members.
    struct Members: Sendable {
        let owner: ObjectID
        let relationship: Relationship
        let added: [ObjectID]
        let removed: [ObjectID]
        /// All members in order. `nil` if the relationship is unordered.
        let order: [ObjectID]?
    }

    /// The transient values of an object that differ from the values of a new object.
    struct Transients: Sendable {
        let id: ObjectID
        let values: [(slot: ObjectSlot, value: Value)]
    }

    private(set) var inserted: [Changed] = []
    private(set) var updated: [Changed] = []
    private(set) var deleted: [Deleted] = []
    private(set) var members: [Members] = []
    private(set) var transients: [Transients] = []
    private(set) var assignments: [ObjectID: StoreNumber] = [:]
    /// The new IDs of objects to which the rows that the child changed refer by temporary IDs. The parent keeps
    /// them only until its next save.
    private(set) var newIDs = IDReplacements()

    /// The rows of the new and changed objects.
    var rows: RowBatch { RowBatch((inserted + updated).lazy.map(\.row)) }

    /// Collects the changes of a context that a change set lists.
    ///
    /// - Throws: `.relationshipAcrossStores`, `.store`, `.objectGone`.
    init(_ changes: ChangeSet, of context: ManagedObjectContext) throws(GraphError) {
        let new = changes.inserted.compactMap { context.identityMap[$0] }
        let changed = changes.updated.compactMap { context.identityMap[$0.id] }
        let rows = try UnsavedRows(context).rows(of: new + changed)
        inserted = new.compactMap { object in
            rows[object.objectID].map {
                Changed(
                    id: object.objectID, row: $0, base: nil, slots: RowSlotSet(),
                    initialSlots: object.overlay?.initialSlots ?? [])
            }
        }
        updated = changed.compactMap { object in
            rows[object.objectID].map {
                Changed(
                    id: object.objectID, row: $0, base: object.row,
                    slots: object.overlay?.dirty ?? RowSlotSet())
            }
        }
        deleted = changes.deleted.map {
            Deleted(id: $0.id, base: context.identityMap[$0.id]?.row)
        }
        assignments = changes.assignments
        for base in updated.map(\.base) + deleted.map(\.base) {
            guard let base, let kind = context.kinds.kind(numbered: base.entity) else { continue }
            for slot in kind.layout.slots where slot.kind == .toOne && !base.isNull(slot) {
                let id = base.objectID(slot)
                if id.isTemporary { newIDs[id] = context.replacedIDs[id] }
            }
        }
        for object in context.tracker.inserted + context.tracker.updated {
            members += try Self.members(of: object)
            let values = object.transientValues
            if !values.isEmpty {
                transients.append(Transients(id: object.objectID, values: values))
            }
        }
    }

    /// Unordered one-to-many relationships are left out, because the rows of their members contain them.
    private static func members(of object: ManagedObject) throws(GraphError) -> [Members] {
        var changed: [Members] = []
        for binding in object.kind.relationships
        where binding.isToMany && !binding.isTransient {
            guard binding.isManyToMany || binding.isOrdered else { continue }
            let known = object.knownMembers(binding)
            guard known.hasChanges else { continue }
            changed.append(
                Members(
                    owner: object.objectID, relationship: binding.relationship,
                    added: known.added,
                    removed: known.removed.subtracting(known.added)
                        .sorted { $0.precedes($1) },
                    order: binding.isOrdered ? try object.loadedMembers(binding).current : nil))
        }
        return changed
    }
}

extension ManagedObject {
    /// The transient attributes whose values differ from those of a new object, or are evaluated for each
    /// object.
    final var transientValues: [(slot: ObjectSlot, value: Value)] {
        guard let overlay, !overlay.extras.isEmpty else { return [] }
        return kind.transientAttributes.compactMap { slot in
            let value = extraValue(at: slot)
            let isEvaluated = kind.initialValues.contains { $0.storage == .object(slot) }
            return value == kind.emptyExtras[slot] && !isEvaluated ? nil : (slot, value)
        }
    }

    /// Whether the object has transient values, which a child's save passes on although no row contains
    /// them.
    final var hasTransientValues: Bool { !transientValues.isEmpty }
}

/// The objects of a change set for a parent context, which takes values instead of rows.
protocol ChildObjects: ChangedObjects {
    /// Returns the changes as values, without references to their context.
    ///
    /// - Throws: `.relationshipAcrossStores`, `.store`, `.objectGone`.
    func childChanges(of changes: ChangeSet) throws(GraphError) -> ChildChanges
}
