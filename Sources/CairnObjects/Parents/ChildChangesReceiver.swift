import CairnModel
import CairnRows
import CairnStack
import CairnStore

/// Applies the changes that a child saved to its parent as unsaved changes: all of them, or no change.
///
/// The changes are not validated again before the parent saves. The parent maintains both ends of
/// relationships itself, so ends that the child never loaded are changed too.
struct ChildChangesReceiver {
    private let context: ManagedObjectContext
    private let newID: (ObjectID) -> ObjectID?

    /// - Parameter newID: Returns the permanent ID of an object for which the child still has the
    ///   temporary ID, or `nil`.
    init(_ context: ManagedObjectContext, newID: @escaping (ObjectID) -> ObjectID?) {
        self.context = context
        self.newID = newID
    }

    private func current(_ id: ObjectID) -> ObjectID {
        id.isTemporary ? newID(id) ?? context.currentID(id) : id
    }

    private func current(_ value: Value) -> Value {
        if case .objectID(let id) = value { .objectID(current(id)) } else { value }
    }

    /// Applies a child's changes.
    ///
    /// - Throws: `.store(.rowConflicts)` with every object whose values in the parent differ from the
    ///   values that the child read; `.saveUnderWay` if the parent is saving; `.store`, `.objectGone`.
    func receive(_ changes: ChildChanges) throws(GraphError) {
        if context.events.isHeld { throw .saveUnderWay(context.queue.ownerLock.name) }
        context.events.end()
        let objects = try readObjects(of: changes)
        // The objects are kept alive here, because the context itself holds only objects with changes.
        defer { withExtendedLifetime(objects) {} }
        try checkConflicts(of: changes)
        try context.events.hold { () throws(GraphError) in
            do throws(GraphError) {
                try apply(changes)
            } catch {
                context.events.revert()
                context.tracker.prune()
                throw error
            }
        }
    }

    // MARK: Conflicts

    private func readObjects(of changes: ChildChanges) throws(GraphError) -> [ManagedObject] {
        let ids = changes.updated.map(\.id) + changes.deleted.map(\.id)
        let objects = ids.compactMap { context.registeredOrFault(current($0)) }
        try context.faults.fire(objects)
        return objects
    }

    private func checkConflicts(of changes: ChildChanges) throws(GraphError) {
        var conflicts: [RowConflict] = []
        for (id, base) in changes.updated.map({ ($0.id, $0.base) })
            + changes.deleted.map({ ($0.id, $0.base) })
        {
            if let conflict = try conflict(of: id, base) { conflicts.append(conflict) }
        }
        if !conflicts.isEmpty { throw .store(.rowConflicts(conflicts)) }
        let broken = try brokenReferences(by: changes)
        if !broken.isEmpty { throw .store(.referenceConflicts(broken)) }
    }

    /// Returns the references that the changes would break: those of the parent's objects to objects that
    /// the child deletes, and those of the child's objects to objects that the parent deletes. The store
    /// finds the others when the parent saves.
    private func brokenReferences(by changes: ChildChanges) throws(GraphError)
        -> [ReferenceConflict]
    {
        let deleted = Set(changes.deleted.map { current($0.id) })
        let changed = Dictionary(
            changes.updated.map { (current($0.id), $0) }, uniquingKeysWith: { first, _ in first })
        var broken: [ReferenceConflict] = []
        let objects = changes.deleted.compactMap { context.identityMap[current($0.id)] }
        for (kind, objects) in DeleteRules.grouped(objects) {
            for binding in kind.relationships where binding.isToMany && !binding.isTransient {
                guard let inverse = binding.inverse, !inverse.isToMany,
                    let slot = inverse.storage.rowSlot, binding.deleteRule != .noAction
                else { continue }
                try context.faults.loadMembers(binding, of: objects)
                for object in objects {
                    let staying = try object.loadedMembers(binding).current.filter { id in
                        if deleted.contains(id) || context.identityMap[id]?.isDeleted == true {
                            return false
                        }
                        // The child may have moved the member.
                        return changed[id].map { !$0.slots.contains(slot) } ?? true
                    }
                    if staying.isEmpty { continue }
                    broken.append(
                        ReferenceConflict(
                            .deleted, object: object.objectID, entity: kind.entity.name,
                            relationship: binding.name, members: staying))
                }
            }
        }
        return try broken + referencesToMissingObjects(in: changes.inserted + changes.updated)
    }

    /// Returns the references to objects that the parent deletes or has deleted, or that its source does not
    /// have.
    private func referencesToMissingObjects(
        in changed: [ChildChanges.Changed]
    ) throws(GraphError) -> [ReferenceConflict] {
        let own = Set(changed.map { current($0.id) })
        var references: [(destination: ObjectID, inverse: Relationship, member: ObjectID)] = []
        for change in changed {
            guard let kind = context.kinds.kind(numbered: change.row.entity) else { continue }
            for binding in kind.relationships where !binding.isToMany {
                guard let inverse = binding.relationship.inverse,
                    let slot = binding.storage.rowSlot,
                    change.base == nil || change.slots.contains(slot),
                    case .objectID(let id) = current(change.row.value(kind.layout[slot])),
                    !own.contains(id)
                else { continue }
                references.append((id, inverse, change.id))
            }
        }
        let missing = try missing(of: Set(references.map(\.destination)))
        return references.filter { missing.contains($0.destination) }.map {
            ReferenceConflict(
                .missing, object: $0.destination, entity: $0.inverse.entity.name,
                relationship: $0.inverse.name, members: [$0.member])
        }
    }

    private func missing(of ids: Set<ObjectID>) throws(GraphError) -> Set<ObjectID> {
        var missing: Set<ObjectID> = []
        var unknown: Set<ObjectID> = []
        for id in ids {
            if let object = context.identityMap[id], !object.isFault {
                if object.isDeleted { missing.insert(id) }
            } else {
                unknown.insert(id)
            }
        }
        if unknown.isEmpty { return missing }
        let found = try UnsavedRows(context).rows(for: Array(unknown))
        return missing.union(unknown.subtracting(found.ids.map(context.currentID)))
    }

    /// Returns the conflict of one object, or `nil` if there is no conflict. Compares values and not
    /// versions, because a version also changes when the parent itself saves, which is not a conflict.
    private func conflict(of id: ObjectID, _ base: Row?) throws(GraphError) -> RowConflict? {
        let version = base?.version ?? 0
        guard let object = context.identityMap[current(id)], !object.isDeleted, !object.isFault
        else { return RowConflict(id: id, expectedVersion: version, stored: nil) }
        guard let base else { return nil }
        for layoutSlot in object.kind.layout.slots {
            let (slot, property) = (layoutSlot.rowSlot, object.kind.layout.property(at: layoutSlot))
            if case .attribute(let attribute) = property, attribute.isDerived { continue }
            let own =
                object.overlay?.value(at: slot)
                ?? object.row.map { object.raw(layoutSlot, in: $0) } ?? .null
            var read = current(base.value(layoutSlot))
            if layoutSlot.kind == .externalBinary, case .binary = own {
                read = try object.storedValue(at: slot, in: base)
            }
            if read != own {
                let rows = try UnsavedRows(context).rows(of: [object])
                return RowConflict(
                    id: id, expectedVersion: version, stored: rows[object.objectID])
            }
        }
        return nil
    }

    // MARK: Changes

    private func apply(_ changes: ChildChanges) throws(GraphError) {
        var objects: [ManagedObject] = []
        for change in changes.inserted { objects.append(try insert(change)) }
        for change in changes.updated {
            guard let object = context.identityMap[current(change.id)] else {
                throw .objectGone(change.id, .leftContext)
            }
            objects.append(object)
        }
        for (object, change) in zip(objects, changes.inserted + changes.updated) {
            try applyAttributes(of: change, to: object)
        }
        for (object, change) in zip(objects, changes.inserted + changes.updated) {
            try applyDestinations(of: change, to: object)
        }
        for change in changes.transients { try applyTransients(change) }
        for change in changes.members { try applyMembers(change) }
        for change in changes.members { try applyOrder(change) }
        for change in changes.deleted {
            if let object = context.identityMap[current(change.id)] { try context.delete(object) }
        }
        for (id, store) in changes.assignments {
            guard let object = context.identityMap[current(id)] else { continue }
            // An object that is stored moves.
            context.tracker.note(object, .updated)
            context.savingState.assignments[object] = store
        }
    }

    /// Inserts a new object into the parent. An object that the parent has deleted is restored, because
    /// the child's merge policy decided so.
    private func insert(_ change: ChildChanges.Changed) throws(GraphError) -> ManagedObject {
        let id = current(change.id)
        if let object = context.identityMap[id], object.awaitsDeletion {
            context.tracker.note(object, .updated)
            object.cancelDeletion()
            try LinkEditor(context).forgetOneSidedLinks(of: object)
            return object
        }
        guard let kind = context.kinds.kind(numbered: change.row.entity) else {
            throw .unknownEntity(
                "\(change.id)", known: context.managedObjectModel.entities.map(\.name))
        }
        let object = kind.objectClass.init(
            ManagedObject._Seed(kind: kind, id: id, row: nil))
        context.adopt(inserted: object) { initial in
            // The child has evaluated the initial values. Transient values are set later.
            guard case .row(let slot) = initial.storage else { return (.null, isInitial: true) }
            // An error is thrown when the values are set.
            let value = (try? object.storedValue(at: slot, in: change.row)) ?? .null
            return (value, change.initialSlots.contains(slot))
        }
        return object
    }

    private func slots(of change: ChildChanges.Changed, _ object: ManagedObject) -> [RowSlot] {
        change.base == nil ? Array(object.kind.layout.rowSlots) : Array(change.slots)
    }

    private func applyAttributes(
        of change: ChildChanges.Changed, to object: ManagedObject
    ) throws(GraphError) {
        for slot in slots(of: change, object) where object.kind.layout[slot].kind != .toOne {
            try object.write(try object.storedValue(at: slot, in: change.row), at: slot)
        }
    }

    private func applyDestinations(
        of change: ChildChanges.Changed, to object: ManagedObject
    ) throws(GraphError) {
        for slot in slots(of: change, object) where object.kind.layout[slot].kind == .toOne {
            let value = current(change.row.value(object.kind.layout[slot]))
            try LinkEditor(context).take(value, at: slot, of: object)
        }
    }

    private func applyTransients(_ change: ChildChanges.Transients) throws(GraphError) {
        guard let object = context.registeredOrFault(current(change.id)), !object.isDeleted else {
            return
        }
        for (slot, value) in change.values { try object.write(value, atExtra: slot) }
    }

    private func applyMembers(_ change: ChildChanges.Members) throws(GraphError) {
        guard let (owner, binding) = try relation(of: change), binding.isManyToMany else { return }
        for id in change.removed {
            guard let member = context.registeredOrFault(current(id)) else { continue }
            try context.relations.remove(member, from: owner, binding)
        }
        for id in change.added {
            guard let member = context.registeredOrFault(current(id)) else { continue }
            try context.relations.add(member, to: owner, binding)
        }
    }

    /// Applies the order of an ordered relationship. Members that only the parent has are moved to the
    /// end.
    private func applyOrder(_ change: ChildChanges.Members) throws(GraphError) {
        guard let wanted = change.order, let (owner, binding) = try relation(of: change) else {
            return
        }
        let members = try owner.loadedMembers(binding).current
        let present = Set(members)
        let order = wanted.map(current).filter(present.contains)
        let named = Set(order)
        try context.relations.arrange(
            order + members.filter { !named.contains($0) }, of: owner, binding)
    }

    private func relation(
        of change: ChildChanges.Members
    ) throws(GraphError) -> (ManagedObject, RelationshipBinding)? {
        guard let owner = context.registeredOrFault(current(change.owner)),
            case .relationship(let binding) = try owner.kind.binding(change.relationship.name)
        else { return nil }
        return (owner, binding)
    }
}
