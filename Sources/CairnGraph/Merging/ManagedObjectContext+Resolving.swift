import CairnModel
import CairnStore

/// The steps that resolving is made of. Changes are noted in the event, objects that change as a
/// whole in mementos, so that a save that fails is taken back.
extension ManagedObjectContext {
    /// Notes all that an object is, before it is changed as a whole.
    func remember(_ object: ManagedObject) {
        mementos.append(ObjectMemento(object))
        if !object.state.contains(.touched) { touch(object, for: .updated) }
    }

    /// Sets a row slot, at both ends where it is a to-one.
    func take(_ value: Value, at slot: RowSlot, of object: ManagedObject) throws(GraphError) {
        guard case .relationship(let relationship) = object.kind.layout.property(at: slot),
            case .relationship(let binding) = try object.kind.binding(relationship.name)
        else { return try object.write(value, at: slot) }
        var destination: ManagedObject?
        if case .objectID(let id) = value { destination = registeredOrFault(id) }
        do {
            try relations.setDestination(destination, of: object, binding)
        } catch .objectGone {
            // The other end is gone: there is nothing to tell it.
            try object.write(value, at: slot)
        }
    }

    /// Takes back the changes to some properties of a stored object.
    func takeBack(_ names: [String], of object: ManagedObject) throws(GraphError) {
        guard let row = object.row else { return }
        for name in names {
            guard let place = object.kind.layout.slot(named: name),
                object.overlay?.dirty.contains(place.rowSlot) ?? false
            else { continue }
            try take(object.raw(place, in: row), at: place.rowSlot, of: object)
        }
    }

    /// Takes back all changes to a stored object, those at the other ends of its relationships too.
    func takeBackChanges(of object: ManagedObject) throws(GraphError) {
        try takeBack(
            (object.overlay?.dirty ?? RowSlotSet()).map {
                object.kind.layout.property(at: $0).name
            }, of: object)
        // Members that keep the relationship as their own to-one keep their changes of it too.
        for binding in object.kind.relationships where binding.isToMany && binding.isManyToMany {
            let members = object.knownMembers(binding)
            guard members.hasChanges, let slot = binding.storage.objectSlot else { continue }
            for id in members.added {
                guard let member = registeredOrFault(id) else { continue }
                try relations.remove(member, from: object, binding)
            }
            for id in members.removed {
                guard let member = registeredOrFault(id), !member.isDeleted else { continue }
                try relations.add(member, to: object, binding)
            }
            remember(object)
            object.overlay?.updateMembers(at: slot) { $0.rollBack() }
        }
    }

    /// Makes what leads to one object in this context lead to another one.
    ///
    /// - Parameter handingOver: whether the relationships that the object itself sets are the
    ///   other one's from now on too.
    func redirect(
        to target: ManagedObject, from object: ManagedObject, handingOver: Bool
    ) throws(GraphError) {
        for binding in object.kind.relationships {
            guard let inverse = binding.inverse, handingOver || binding.isLedToOnly else {
                continue
            }
            for id in try destinations(of: object, binding) {
                guard let other = registeredOrFault(id), !other.isDeleted else { continue }
                if inverse.isToMany {
                    try relations.remove(object, from: other, inverse)
                    try relations.add(target, to: other, inverse)
                } else {
                    try relations.setDestination(target, of: other, inverse)
                }
            }
        }
        try redirectOneWay(to: target, from: object.objectID)
    }

    /// Makes relationships without an inverse that lead to an ID lead to an object. Only those that have
    /// them know of them.
    func redirectOneWay(to target: ManagedObject, from id: ObjectID) throws(GraphError) {
        for other in tracker.objects where !other.isDeleted && other.hasChanges {
            for binding in other.kind.relationships where binding.inverse == nil {
                if binding.isToMany {
                    guard other.knownMembers(binding).added.contains(id) else { continue }
                    try other.writeMembers(binding, .remove(id))
                    try relations.add(target, to: other, binding)
                } else if !other.isFault, try other.destinationID(binding) == id {
                    try other.writeDestination(target.objectID, of: binding)
                }
            }
        }
    }

    /// Makes the other ends lead to an object again whose deletion is taken back. What the deletion
    /// took along stays deleted.
    func relink(_ object: ManagedObject) throws(GraphError) {
        for binding in object.kind.relationships {
            guard let inverse = binding.inverse else { continue }
            for id in try knownDestinations(of: object, binding) {
                guard let other = identityMap[id], !other.isDeleted else { continue }
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

    /// Makes nothing lead to an object.
    func unlink(_ object: ManagedObject) throws(GraphError) {
        for binding in object.kind.relationships {
            guard let inverse = binding.inverse else { continue }
            for id in try knownDestinations(of: object, binding) {
                guard let other = identityMap[id], !other.isDeleted else { continue }
                try unlink(other, inverse, from: object)
            }
        }
    }

    /// Makes the other end of a relationship lead to the object no more.
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

    /// Has an object lead no more to what does not lead back: the other ends of its relationships
    /// forgot it when it was deleted, and its own ends did not. Whoever sets them then sets both.
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
        guard let other = registeredOrFault(id) else { return false }
        if inverse.isToMany {
            return other.knownMembers(inverse).contains(object.objectID) ?? true
        }
        do throws(GraphError) {
            return try other.destinationID(inverse) == object.objectID
        } catch .objectGone {
            return false
        }
    }

    /// Takes an insertion back.
    func discard(inserted object: ManagedObject) throws(GraphError) {
        try unlink(object)
        remember(object)
        letGo(of: object)
    }

    /// Lets go of an object whose row others removed.
    func letGo(ofDeleted object: ManagedObject) {
        letGo(of: object)
        tracker.noteIdle()
    }

    func destinations(
        of object: ManagedObject, _ binding: RelationshipBinding
    ) throws(GraphError) -> [ObjectID] {
        binding.isToMany
            ? try object.loadedMembers(binding).current
            : try object.destinationID(binding).map { [$0] } ?? []
    }

    /// Without a fetch: of an object whose row is gone.
    private func knownDestinations(
        of object: ManagedObject, _ binding: RelationshipBinding
    ) throws(GraphError) -> [ObjectID] {
        if binding.isToMany { return object.knownMembers(binding).current }
        guard object.row != nil || object.isInserted else { return [] }
        return try object.destinationID(binding).map { [$0] } ?? []
    }
}

extension RelationshipBinding {
    /// Whether the objects at the other end keep the relationship: it is their to-one.
    var isLedToOnly: Bool { isToMany && inverse?.isToMany == false }
}
