import CairnModel
import CairnStack

/// Changes the relationships to and from an object as a whole, at both ends.
///
/// The changes are recorded in the current event, like the changes that a program makes.
struct LinkEditor {
    private let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) {
        self.context = context
    }

    /// Sets a row slot. If the slot belongs to a to-one relationship, both ends are set.
    func take(_ value: Value, at slot: RowSlot, of object: ManagedObject) throws(GraphError) {
        guard case .relationship(let relationship) = object.kind.layout.property(at: slot),
            case .relationship(let binding) = try object.kind.binding(relationship.name)
        else { return try object.write(value, at: slot) }
        var destination: ManagedObject?
        if case .objectID(let id) = value { destination = context.registeredOrFault(id) }
        do {
            try context.relations.setDestination(destination, of: object, binding)
        } catch .objectGone {
            // The other end is gone, so there is nothing to change in it.
            try object.write(value, at: slot)
        }
    }

    /// Redirects the relationships that lead to one object in this context to another object.
    ///
    /// - Parameter handingOver: Whether the target also takes over the relationships that the object
    ///   itself stores.
    func redirect(
        to target: ManagedObject, from object: ManagedObject, handingOver: Bool
    ) throws(GraphError) {
        for binding in object.kind.relationships {
            guard let inverse = binding.inverse, handingOver || binding.isStoredAtOtherEnd else {
                continue
            }
            for id in try destinations(of: object, binding) {
                guard let other = context.registeredOrFault(id), !other.isDeleted else { continue }
                if inverse.isToMany {
                    try context.relations.remove(object, from: other, inverse)
                    try context.relations.add(target, to: other, inverse)
                } else {
                    try context.relations.setDestination(target, of: other, inverse)
                }
            }
        }
        try redirectOneWay(to: target, from: object.objectID)
    }

    /// Redirects relationships without an inverse from an ID to an object. Because there is no inverse to
    /// follow, all changed objects of the context are searched.
    func redirectOneWay(to target: ManagedObject, from id: ObjectID) throws(GraphError) {
        for other in context.tracker.objects where !other.isDeleted && other.hasChanges {
            for binding in other.kind.relationships where binding.inverse == nil {
                if binding.isToMany {
                    guard other.knownMembers(binding).added.contains(id) else { continue }
                    try other.writeMembers(binding, .remove(id))
                    try context.relations.add(target, to: other, binding)
                } else if !other.isFault, try other.destinationID(binding) == id {
                    try other.writeDestination(target.objectID, of: binding)
                }
            }
        }
    }

    /// Restores the other ends of an object's relationships when its deletion is undone. Objects that
    /// were deleted together with it stay deleted.
    func relink(_ object: ManagedObject) throws(GraphError) {
        for binding in object.kind.relationships {
            guard let inverse = binding.inverse else { continue }
            for id in try knownDestinations(of: object, binding) {
                guard let other = context.identityMap[id], !other.isDeleted else { continue }
                if inverse.isToMany {
                    guard other.knownMembers(inverse).contains(object.objectID) == false else {
                        continue
                    }
                    try other.writeMembers(
                        inverse, .add(object.objectID, keepsOrder: inverse.isOrdered))
                } else if !other.isFault, try other.destinationID(inverse) == nil {
                    try other.writeDestination(object.objectID, of: inverse)
                }
            }
        }
    }

    /// Removes an object from the other ends of its relationships.
    func unlink(_ object: ManagedObject) throws(GraphError) {
        for binding in object.kind.relationships {
            guard let inverse = binding.inverse else { continue }
            for id in try knownDestinations(of: object, binding) {
                guard let other = context.identityMap[id], !other.isDeleted else { continue }
                try unlink(other, inverse, from: object)
            }
        }
    }

    /// Removes an object from the other end of one relationship.
    private func unlink(
        _ other: ManagedObject, _ inverse: RelationshipBinding, from object: ManagedObject
    ) throws(GraphError) {
        if inverse.isToMany {
            guard other.knownMembers(inverse).contains(object.objectID) == true else { return }
            return try other.writeMembers(inverse, .remove(object.objectID))
        }
        guard !other.isFault, try other.destinationID(inverse) == object.objectID else { return }
        try other.writeDestination(nil, of: inverse)
    }

    /// Removes an object's links to objects that do not lead back to it. When the object was deleted, the
    /// other ends of its relationships were changed, but its own ends were not. Code that sets the
    /// relationships afterwards sets both ends.
    func forgetOneSidedLinks(of object: ManagedObject) throws(GraphError) {
        for binding in object.kind.relationships {
            guard let inverse = binding.inverse else { continue }
            for id in try destinations(of: object, binding)
            where try !leadsBack(from: id, inverse, to: object) {
                if binding.isToMany {
                    try object.writeMembers(binding, .remove(id))
                } else {
                    try object.writeDestination(nil, of: binding)
                }
            }
        }
    }

    private func leadsBack(
        from id: ObjectID, _ inverse: RelationshipBinding, to object: ManagedObject
    ) throws(GraphError) -> Bool {
        guard let other = context.registeredOrFault(id) else { return false }
        if inverse.isToMany {
            return other.knownMembers(inverse).contains(object.objectID) ?? true
        }
        do {
            return try other.destinationID(inverse) == object.objectID
        } catch .objectGone {
            return false
        }
    }

    func destinations(
        of object: ManagedObject, _ binding: RelationshipBinding
    ) throws(GraphError) -> [ObjectID] {
        binding.isToMany
            ? try object.loadedMembers(binding).current
            : try object.destinationID(binding).map { [$0] } ?? []
    }

    /// Makes the partners let go that others gave to an object in one-to-one relationships, if the context
    /// has changed these relationships of the object. The context's change prevails, and both ends agree.
    ///
    /// Call this after the object received a newer row.
    func releaseStoredPartners(of object: ManagedObject) throws(GraphError) {
        guard let dirty = object.overlay?.dirty, !dirty.isEmpty, let row = object.row else {
            return
        }
        for binding in object.kind.relationships where !binding.isToMany {
            guard let inverse = binding.inverse, !inverse.isToMany,
                let slot = binding.storage.rowSlot, dirty.contains(slot),
                case .objectID(let id) = object.raw(object.kind.layout[slot], in: row),
                let partner = context.registeredOrFault(id), !partner.isDeleted
            else { continue }
            do {
                guard try partner.destinationID(inverse) == object.objectID else { continue }
                try partner.writeDestination(nil, of: inverse)
            } catch .objectGone {
                // A partner that is no longer in the store has no relationship to change.
            }
        }
    }

    /// Returns the destinations that are known. Fetches nothing, because the object's row may no longer
    /// exist.
    private func knownDestinations(
        of object: ManagedObject, _ binding: RelationshipBinding
    ) throws(GraphError) -> [ObjectID] {
        if binding.isToMany { return object.knownMembers(binding).current }
        guard object.row != nil || object.isInserted else { return [] }
        return try object.destinationID(binding).map { [$0] } ?? []
    }
}

extension RelationshipBinding {
    /// Whether the relationship is stored only by the objects at the other end, in their to-one
    /// relationship.
    var isStoredAtOtherEnd: Bool { isToMany && inverse?.isToMany == false }
}
