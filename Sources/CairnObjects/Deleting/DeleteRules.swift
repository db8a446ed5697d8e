import CairnModel
import CairnStack

/// Applies the delete rules of objects that are to be deleted.
///
/// Proceeds level by level, without recursion: a chain of 100,000 cascades needs no deep stack, and a
/// cycle ends because each object is deleted only once. The rows and members of each level are fetched
/// together.
struct DeleteRules {
    private let context: ManagedObjectContext
    /// Destinations whose faults were fired together. They are held here because the identity map does
    /// not hold them, and they would become faults again before they are unlinked.
    private var fired: [ManagedObject] = []

    init(_ context: ManagedObjectContext) {
        self.context = context
    }

    /// Deletes and unlinks objects as the delete rules of `objects` require. Calling this repeatedly is
    /// harmless.
    ///
    /// - Throws: `.store`.
    mutating func apply(to objects: [ManagedObject]) throws(GraphError) {
        var level = objects
        while !level.isEmpty {
            try context.faults.fire(level)
            var next: [ManagedObject] = []
            for (kind, objects) in Self.grouped(level) {
                for binding in kind.relationships {
                    try apply(binding, to: objects, next: &next)
                }
            }
            level = next
        }
    }

    /// Returns a failure for each object that a deny rule protects because its relationship still
    /// contains another object. Call this when all deletions are known.
    ///
    /// - Throws: `.store`.
    func denials(of objects: [ManagedObject]) throws(GraphError) -> [ValidationFailure] {
        var failures: [ValidationFailure] = []
        for (kind, objects) in Self.grouped(objects) {
            for binding in kind.relationships where binding.deleteRule == .deny {
                try context.faults.fire(objects)
                if binding.isToMany { try context.faults.loadMembers(binding, of: objects) }
                for object in objects {
                    let others = try remaining(object, binding)
                    if others.isEmpty { continue }
                    failures.append(
                        Self.denial(
                            of: object.objectID, object.entity.name, binding.name, others))
                }
            }
        }
        return failures
    }

    /// Returns the failure of a deletion that a deny rule forbids because of these objects.
    static func denial(
        of object: ObjectID, _ entity: String, _ relationship: String, _ others: [ObjectID]
    ) -> ValidationFailure {
        ValidationFailure(
            code: ErrorCode.relationshipDenied, object: object, entity: entity,
            property: relationship,
            rule:
                "the object cannot be deleted while this relationship (delete rule: deny) leads to"
                + " \(list(others)); delete these objects first, or remove them from the relationship"
        )
    }

    /// Returns the destinations that are not deleted.
    private func remaining(
        _ object: ManagedObject, _ binding: RelationshipBinding
    ) throws(GraphError) -> [ObjectID] {
        try destinations(of: object, binding).filter { id in
            guard let other = context.registeredOrFault(id) else { return false }
            return !other.isDeleted && other !== object
        }
    }

    /// Returns text that names the first objects and says how many more there are.
    private static func list(_ ids: [ObjectID]) -> String {
        let limit = 3
        let named = ids.prefix(limit).map(\.description).joined(separator: ", ")
        return ids.count <= limit ? named : "\(named) and \(ids.count - limit) more"
    }

    /// Returns the objects grouped by kind, in the order of each kind's first object.
    static func grouped(_ objects: [ManagedObject]) -> [(ObjectKind, [ManagedObject])] {
        var groups: [(ObjectKind, [ManagedObject])] = []
        var indices: [ObjectIdentifier: Int] = [:]
        for object in objects {
            let key = ObjectIdentifier(object.kind)
            let index = indices[key] ?? groups.count
            if indices[key] == nil {
                indices[key] = index
                groups.append((object.kind, []))
            }
            groups[index].1.append(object)
        }
        return groups
    }

    private mutating func apply(
        _ binding: RelationshipBinding, to objects: [ManagedObject],
        next: inout [ManagedObject]
    ) throws(GraphError) {
        let rule = binding.deleteRule
        guard rule == .nullify || rule == .cascade else { return }
        if binding.isToMany { try context.faults.loadMembers(binding, of: objects) }
        if let inverse = binding.inverse, !inverse.isToMany {
            try fireDestinations(of: objects, binding)
        }
        for object in objects {
            let destinations = try destinations(of: object, binding)
            if rule == .cascade {
                try cascade(destinations, binding, of: object, next: &next)
            } else {
                try nullify(destinations, binding, of: object)
            }
        }
    }

    /// Returns the IDs of the destinations. An object whose row is gone has no destinations.
    private func destinations(
        of object: ManagedObject, _ binding: RelationshipBinding
    ) throws(GraphError) -> [ObjectID] {
        if binding.isToMany { return try object.loadedMembers(binding).current }
        guard !object.isFault else { return [] }
        return try object.destinationID(binding).map { [$0] } ?? []
    }

    private mutating func fireDestinations(
        of objects: [ManagedObject], _ binding: RelationshipBinding
    ) throws(GraphError) {
        var faults: [ManagedObject] = []
        for object in objects {
            for id in try destinations(of: object, binding) {
                if let fault = context.registeredOrFault(id), fault.isFault { faults.append(fault) }
            }
        }
        try context.faults.fire(faults)
        fired += faults
    }

    private func cascade(
        _ destinations: [ObjectID], _ binding: RelationshipBinding, of owner: ManagedObject,
        next: inout [ManagedObject]
    ) throws(GraphError) {
        for id in destinations {
            guard let object = context.registeredOrFault(id),
                try refersBack(object, binding, to: owner), context.markDeleted(object)
            else { continue }
            // A new owner leaves the context when the event ends, and cannot be asked later.
            object.isDeletedByRule = !owner.isInserted
            next.append(object)
        }
    }

    /// Returns whether the destination of a relationship refers to the owner. The members may have been read
    /// before others moved the object to another owner.
    private func refersBack(
        _ object: ManagedObject, _ binding: RelationshipBinding, to owner: ManagedObject
    ) throws(GraphError) -> Bool {
        guard let inverse = binding.inverse, !inverse.isToMany, !object.isFault else { return true }
        return try object.destinationID(inverse) == owner.objectID
    }

    /// Returns those deleted objects that delete rules reach, starting from the objects that the program
    /// deleted.
    ///
    /// - Throws: `.store`.
    func reached(of deleted: [ManagedObject]) throws(GraphError) -> Set<ObjectIdentifier> {
        var level = deleted.filter { !$0.isDeletedByRule }
        var reached = Set(level.map(ObjectIdentifier.init))
        while !level.isEmpty {
            var next: [ManagedObject] = []
            for (kind, objects) in Self.grouped(level) {
                for binding in kind.relationships where binding.deleteRule == .cascade {
                    if binding.isToMany { try context.faults.loadMembers(binding, of: objects) }
                    for object in objects {
                        for id in try destinations(of: object, binding) {
                            guard let other = context.identityMap[id], other.isDeleted,
                                try refersBack(other, binding, to: object),
                                reached.insert(ObjectIdentifier(other)).inserted
                            else { continue }
                            next.append(other)
                        }
                    }
                }
            }
            level = next
        }
        return reached
    }

    /// Removes the object from the other ends of the relationship. The object's own end need not be
    /// changed, because the object is deleted.
    private mutating func nullify(
        _ destinations: [ObjectID], _ binding: RelationshipBinding, of object: ManagedObject
    ) throws(GraphError) {
        guard let inverse = binding.inverse else { return }
        for id in destinations {
            if inverse.isToMany {
                guard let other = try loser(id, of: inverse), !other.isDeleted else { continue }
                try forget(object, in: other, inverse)
            } else if let other = context.registeredOrFault(id), !other.isDeleted, !other.isFault,
                try other.destinationID(inverse) == object.objectID
            {
                try other.writeDestination(nil, of: inverse)
            }
        }
    }

    /// Returns the object at the other end that loses a member, or `nil` for an ID of another model.
    ///
    /// The member is removed without fetching the other members; they may be fetched later, but before
    /// the deletion is saved. If the model requires members, they are fetched now, so that the validator
    /// sees which members remain.
    private mutating func loser(
        _ id: ObjectID, of inverse: RelationshipBinding
    ) throws(GraphError) -> ManagedObject? {
        guard let other = context.registeredOrFault(id) else { return nil }
        if inverse.requiresMembers {
            fired.append(other)
            _ = try other.loadedMembers(inverse)
        }
        return other
    }

    private func forget(
        _ object: ManagedObject, in other: ManagedObject, _ inverse: RelationshipBinding
    ) throws(GraphError) {
        guard other.knownMembers(inverse).contains(object.objectID) != false else { return }
        try other.writeMembers(inverse, .remove(object.objectID))
    }
}

extension RelationshipBinding {
    /// Whether the model requires a number of members.
    fileprivate var requiresMembers: Bool { relationship.description.minimumCount > 0 }
}
