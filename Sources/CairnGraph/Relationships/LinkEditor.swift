import CairnModel
import CairnStore

/// Changes what leads to an object, and what it leads to, as a whole: at both ends of relationships.
///
/// The changes are noted in the current event, like those that a program makes.
struct LinkEditor {
    private let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) {
        self.context = context
    }

    /// Sets a row slot, at both ends where it is a to-one.
    func take(_ value: Value, at slot: RowSlot, of object: ManagedObject) throws(GraphError) {
        guard case .relationship(let relationship) = object.kind.layout.property(at: slot),
            case .relationship(let binding) = try object.kind.binding(relationship.name)
        else { return try object.write(value, at: slot) }
        var destination: ManagedObject?
        if case .objectID(let id) = value { destination = context.registeredOrFault(id) }
        do {
            try context.relations.setDestination(destination, of: object, binding)
        } catch .objectGone {
            // The other end is gone: there is nothing to tell it.
            try object.write(value, at: slot)
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

    /// Makes relationships without an inverse that lead to an ID lead to an object. Only those that have
    /// them know of them.
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

    /// Makes the other ends lead to an object again whose deletion is taken back. What the deletion
    /// took along stays deleted.
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

    /// Makes nothing lead to an object.
    func unlink(_ object: ManagedObject) throws(GraphError) {
        for binding in object.kind.relationships {
            guard let inverse = binding.inverse else { continue }
            for id in try knownDestinations(of: object, binding) {
                guard let other = context.identityMap[id], !other.isDeleted else { continue }
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
        guard let other = context.registeredOrFault(id) else { return false }
        if inverse.isToMany {
            return other.knownMembers(inverse).contains(object.objectID) ?? true
        }
        do throws(GraphError) {
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
