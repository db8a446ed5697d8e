import CairnModel
import CairnRows
import CairnStack
import CairnStore

/// Creates the change set of a save from the changed objects.
struct ChangeCollector {
    private let context: ManagedObjectContext
    private var changes = ChangeSet()
    /// The order keys of each ordered relationship that was changed, by owner and relationship.
    private(set) var orderKeys: [OrderedRelation: [ObjectID: Int64]] = [:]
    /// The objects that move to another store.
    private(set) var moved: [ManagedObject] = []
    /// The values of moved objects that their former store keeps outside their rows.
    private(set) var externalValues: [ObjectID: [RowSlot: Value]] = [:]
    private var storedKeys: [OrderedRelation: [ObjectID: Int64]] = [:]

    /// An ordered relationship of one object.
    struct OrderedRelation: Hashable {
        let owner: ObjectID
        let relationship: Relationship
    }

    init(_ context: ManagedObjectContext) {
        self.context = context
    }

    /// Returns the change set of the context's changes.
    ///
    /// - Throws: `.objectGone`, `.store`.
    mutating func collect() throws(GraphError) -> ChangeSet {
        let tracker = context.tracker
        let (inserted, updated) = (tracker.inserted, tracker.updated)
        // A child passes moves to its parent.
        if !context.source.holdsUnsavedObjects { try collectMoves(updated) }
        changes.inserted = (inserted + moved).map(\.objectID)
        changes.assignments = context.assignmentsByID
        changes.author = context.transactionAuthor
        changes.contextName = context.name
        try collectDeletions(tracker.deleted + moved)
        let changed = (inserted + updated).filter { $0.overlay?.hasUsedMembers == true }
        for object in changed { try numberMembers(of: object) }
        for object in changed { try collectPairs(of: object) }
        try collectUpdates(updated)
        if context.source.holdsUnsavedObjects {
            changes.hasTransientValues = (inserted + updated).contains(where: \.hasTransientValues)
        }
        return changes
    }

    /// Collects the objects that move, which are deleted in one store and inserted in another one. Everything that
    /// their store keeps outside their rows is read: members, and large values.
    private mutating func collectMoves(_ objects: [ManagedObject]) throws(GraphError) {
        moved = objects.filter(context.isMoving)
        if moved.isEmpty { return }
        try context.faults.fireWithMembers(moved)
        for object in moved { externalValues[object.objectID] = try object.externalValues() }
    }

    private func isMoved(_ object: ManagedObject) -> Bool {
        !moved.isEmpty && context.isMoving(object)
    }

    /// Collects deletions. Faults are fired, because a deletion needs the row's version. Rows that no
    /// longer exist are left to the store to report.
    private mutating func collectDeletions(_ objects: [ManagedObject]) throws(GraphError) {
        try context.faults.fire(objects)
        changes.deleted = objects.map {
            RowDeletion(id: $0.objectID, previousVersion: $0.row?.version ?? 0)
        }
    }

    private mutating func collectUpdates(_ objects: [ManagedObject]) throws(GraphError) {
        let reported = objects.filter { !isMoved($0) && needsUpdate($0) }
        try context.faults.fire(reported)
        for object in reported {
            guard let row = object.row else { throw .objectGone(object.objectID, object.absence) }
            changes.updated.append(
                ChangeSet.Update(
                    id: object.objectID, previousVersion: row.version,
                    changedSlots: object.overlay?.dirty.numbers ?? SlotSet()))
        }
    }

    /// Returns whether the object's row changes, or the object has changed pairs or a changed order that
    /// increase its version. The pairs of deleted members are deleted with the members and do not
    /// increase the version.
    private func needsUpdate(_ object: ManagedObject) -> Bool {
        if context.isMoving(object) { return true }
        guard let overlay = object.overlay else { return false }
        if !overlay.dirty.isEmpty { return true }
        guard overlay.hasUsedMembers else { return false }
        return object.kind.relationships.contains { binding in
            guard binding.isToMany, !binding.isTransient,
                binding.isManyToMany || binding.isOrdered
            else { return false }
            let members = object.knownMembers(binding)
            guard members.hasChanges else { return false }
            if binding.isOrdered {
                // Members that were removed and added again may be where they were.
                let relation = OrderedRelation(
                    owner: object.objectID, relationship: binding.relationship)
                return orderKeys[relation] != storedKeys[relation]
            }
            return !members.added.isEmpty
                || members.removed.contains { context.identityMap[$0]?.isDeleted != true }
        }
    }

    // MARK: Order

    private mutating func numberMembers(of object: ManagedObject) throws(GraphError) {
        for binding in object.kind.relationships
        where binding.isOrdered && hasChanges(binding, of: object) {
            let members = try object.loadedMembers(binding)
            let relation = OrderedRelation(
                owner: object.objectID, relationship: binding.relationship)
            var stored: [ObjectID: Int64] = [:]
            if !isMoved(object) {
                stored = Dictionary(
                    zip(members.stored ?? [], members.storedKeys),
                    uniquingKeysWith: { first, _ in first })
            }
            storedKeys[relation] = stored
            orderKeys[relation] = OrderKeys.assign(members.current, stored: stored)
        }
    }

    /// Returns the key of a member if it is new or has changed. Returns `nil` if it is unchanged or the
    /// relationship is unordered.
    private func changedKey(
        of member: ObjectID, in owner: ObjectID, _ binding: RelationshipBinding?
    ) -> Int64? {
        guard let binding, binding.isOrdered else { return nil }
        let relation = OrderedRelation(owner: owner, relationship: binding.relationship)
        guard let key = orderKeys[relation]?[member] else { return nil }
        return storedKeys[relation]?[member] == key ? nil : key
    }

    // MARK: Pairs

    private mutating func collectPairs(of object: ManagedObject) throws(GraphError) {
        for binding in object.kind.relationships
        where binding.isToMany && hasChanges(binding, of: object) {
            if binding.isManyToMany {
                try collectManyToMany(binding, of: object)
            } else if binding.isOrdered {
                collectOrder(binding, of: object)
            }
        }
    }

    /// Returns whether the save writes members or an order. Of a moved object, all members are written.
    private func hasChanges(_ binding: RelationshipBinding, of object: ManagedObject) -> Bool {
        !binding.isTransient && (object.knownMembers(binding).hasChanges || isMoved(object))
    }

    /// Collects only the order keys, because the members' own rows contain the membership.
    private mutating func collectOrder(_ binding: RelationshipBinding, of object: ManagedObject) {
        let members = object.knownMembers(binding)
        let added = Set(isMoved(object) ? members.current : members.added)
        for id in members.current {
            guard let key = changedKey(of: id, in: object.objectID, binding) else { continue }
            changes.pairs.append(
                PairChange(
                    added.contains(id) ? .insert : .reorder, binding.relationship,
                    owner: object.objectID, member: id, orderKey: key))
        }
    }

    private mutating func collectManyToMany(
        _ binding: RelationshipBinding, of object: ManagedObject
    ) throws(GraphError) {
        let members = object.knownMembers(binding)
        let isMoved = isMoved(object)
        let new = isMoved ? members.current : members.added
        let added = Set(new)
        let removed = isMoved ? [] : members.removed
        // Pairs with objects that are deleted, or move, are deleted with their rows.
        for id in removed.subtracting(added).sorted(by: { $0.precedes($1) })
        where context.identityMap[id].map({ $0.isDeleted || self.isMoved($0) }) != true {
            append(.delete, binding, object.objectID, id)
        }
        for id in new {
            append(removed.contains(id) ? .reorder : .insert, binding, object.objectID, id)
        }
        guard binding.isOrdered else { return }
        for id in members.current where !added.contains(id) {
            append(.reorder, binding, object.objectID, id)
        }
    }

    /// Appends a change, expressed from the side that owns the pairs. Except for the order, the other
    /// side's changes are the same changes and are left out.
    private mutating func append(
        _ kind: PairChange.Kind, _ binding: RelationshipBinding, _ owner: ObjectID,
        _ member: ObjectID
    ) {
        let isOwning = binding.relationship.ownsPairs
        guard isOwning || kind == .reorder else { return }
        let key = changedKey(of: member, in: owner, binding)
        let other = changedKey(of: owner, in: member, binding.inverse)
        if kind == .reorder, key == nil { return }
        // If both orders changed, the owning side reports them together.
        if kind == .reorder, !isOwning, isReported(binding, owner, member) { return }
        let reported = isOwning ? binding.relationship : binding.inverse?.relationship
        guard let reported else { return }
        changes.pairs.append(
            isOwning
                ? PairChange(
                    kind, reported, owner: owner, member: member, orderKey: key,
                    inverseOrderKey: other)
                : PairChange(
                    kind, reported, owner: member, member: owner, orderKey: other,
                    inverseOrderKey: key)
        )
    }

    /// Returns whether the owning side's change of the pair also contains this side's key, because the
    /// pair is new or its other key has changed.
    private func isReported(
        _ binding: RelationshipBinding, _ owner: ObjectID, _ member: ObjectID
    ) -> Bool {
        guard let inverse = binding.inverse, let other = context.identityMap[member] else {
            return false
        }
        return other.knownMembers(inverse).isAdded(owner)
            || changedKey(of: owner, in: member, inverse) != nil
    }
}
