import CairnModel
import CairnStore

/// Applies the delete rules of all objects that are to be deleted.
///
/// Works level by level with lists of its own, so a chain of 100,000 cascades needs no deep stack,
/// and a cycle ends: an object is deleted once. Each level's rows and members are fetched together.
struct DeleteRules {
    private let context: ManagedObjectContext
    /// Links that a deny rule protects, looked at when it is known what else is deleted.
    private var denied: [(ManagedObject, RelationshipBinding, [ObjectID])] = []
    /// Destinations whose faults were fired together. The identity map does not hold them, so they
    /// would be faults again before they are unlinked.
    private var fired: [ManagedObject] = []

    init(_ context: ManagedObjectContext) {
        self.context = context
    }

    /// Deletes and unlinks what the deletions ask for, and returns the denials.
    ///
    /// - Throws: `.store`.
    mutating func apply() throws(GraphError) -> [ValidationFailure] {
        var level = context.tracker.objects.filter(\.isDeleted)
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
        return denials()
    }

    private static func grouped(
        _ objects: [ManagedObject]
    ) -> [(ObjectKind, [ManagedObject])] {
        var groups: [(ObjectKind, [ManagedObject])] = []
        var places: [ObjectIdentifier: Int] = [:]
        for object in objects {
            let key = ObjectIdentifier(object.kind)
            let place = places[key] ?? groups.count
            if places[key] == nil {
                places[key] = place
                groups.append((object.kind, []))
            }
            groups[place].1.append(object)
        }
        return groups
    }

    private mutating func apply(
        _ binding: RelationshipBinding, to objects: [ManagedObject],
        next: inout [ManagedObject]
    ) throws(GraphError) {
        let rule = binding.deleteRule
        guard rule != .noAction else { return }
        if binding.isToMany { try context.faults.loadMembers(binding, of: objects) }
        if rule == .nullify, let inverse = binding.inverse, !inverse.isToMany {
            try fireDestinations(of: objects, binding)
        }
        for object in objects {
            let destinations = try destinations(of: object, binding)
            switch rule {
            case .noAction: break
            case .nullify: try nullify(destinations, binding, of: object)
            case .cascade: cascade(destinations, next: &next)
            case .deny: denied.append((object, binding, destinations))
            }
        }
    }

    /// An object whose row is gone has no destinations to speak of.
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
        _ destinations: [ObjectID], next: inout [ManagedObject]
    ) {
        for id in destinations {
            guard let object = context.registeredOrFault(id), !object.isDeleted else { continue }
            object.prepareForDeletion()
            context.tracker.note(object, .deleted)
            next.append(object)
        }
    }

    /// Makes the other ends forget the object. Its own end goes with it.
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

    /// The object at the other end that loses a member; nil where it need not be told.
    ///
    /// Members that are not known need no telling: the store drops the pairs. Where the model asks
    /// for members, they are fetched, so that the validator sees what is left.
    private mutating func loser(
        _ id: ObjectID, of inverse: RelationshipBinding
    ) throws(GraphError) -> ManagedObject? {
        guard inverse.requiresMembers else { return context.identityMap[id] }
        guard let other = context.registeredOrFault(id) else { return nil }
        fired.append(other)
        _ = try other.loadedMembers(inverse)
        return other
    }

    private func forget(
        _ object: ManagedObject, in other: ManagedObject, _ inverse: RelationshipBinding
    ) throws(GraphError) {
        let members = other.knownMembers(inverse)
        guard !members.isFault || members.hasChanges else { return }
        guard members.contains(object.objectID) != false else { return }
        try other.writeMembers(inverse) { $0.remove(object.objectID) }
    }

    private func denials() -> [ValidationFailure] {
        denied.compactMap { object, binding, destinations in
            let remains = destinations.contains { id in
                guard let other = context.registeredOrFault(id) else { return false }
                return !other.isDeleted && other !== object
            }
            guard remains else { return nil }
            return ValidationFailure(
                code: ValidationCode.relationshipDenied, object: object.objectID,
                entity: object.entity.name, property: binding.name,
                rule: "it cannot be deleted while the relationship leads somewhere")
        }
    }
}

extension RelationshipBinding {
    /// Whether the model asks for members.
    fileprivate var requiresMembers: Bool {
        !relationship.isOptional || relationship.description.minimumCount > 0
    }
}
