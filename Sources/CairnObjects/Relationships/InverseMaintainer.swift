import CairnModel
import CairnRows
import CairnStack
import CairnStore

/// Changes relationships so that both ends agree.
///
/// Every change consists of two steps, one at each end: the destination of a to-one relationship is set,
/// or a member is added or removed. Unknown stored members are not fetched for this.
struct InverseMaintainer {
    private let uncountedContext: Uncounted<ManagedObjectContext>
    private var context: ManagedObjectContext { uncountedContext.object }

    init(_ context: ManagedObjectContext) {
        // Unretained, because the context creates this for one call and outlives it.
        uncountedContext = Uncounted(context)
    }

    /// Sets a to-one relationship, at both ends.
    ///
    /// - Throws: `.wrongType`, `.wrongContext`, `.objectGone`, `.store`.
    func setDestination(
        _ destination: ManagedObject?, of object: ManagedObject, _ binding: RelationshipBinding
    ) throws(GraphError) {
        if let destination { try check(destination, for: binding, of: object) }
        let previous = try object.destinationID(binding)
        guard previous != destination?.objectID else { return }
        guard let inverse = binding.inverse else {
            return try object.writeDestination(destination?.objectID, of: binding)
        }
        let previousObject = previous.flatMap(context.registeredOrFault)
        try readEnds(destination, previousObject, inverse, binding)
        try object.writeDestination(destination?.objectID, of: binding)
        if let previousObject { try unlink(previousObject, inverse, from: object) }
        if let destination { try link(destination, inverse, to: object, through: binding) }
    }

    /// Adds a member, at both ends. An object that is a member already keeps its position.
    ///
    /// - Throws: `.wrongType`, `.wrongContext`, `.objectGone`, `.store`.
    func add(
        _ member: ManagedObject, to owner: ManagedObject, _ binding: RelationshipBinding
    ) throws(GraphError) {
        try check(member, for: binding, of: owner)
        guard try !contains(member, in: owner, binding, guess: false) else { return }
        let inverse = binding.inverse
        if let inverse { try readEnds(member, nil, inverse, binding) }
        try owner.writeMembers(
            binding, .add(member.objectID, keepsOrder: binding.isOrdered))
        if let inverse { try link(member, inverse, to: owner, through: binding) }
    }

    /// Removes a member, at both ends. Does nothing if the object is not a member.
    ///
    /// - Throws: `.objectGone`, `.store`.
    func remove(
        _ member: ManagedObject, from owner: ManagedObject, _ binding: RelationshipBinding
    ) throws(GraphError) {
        guard try contains(member, in: owner, binding, guess: true) else { return }
        let inverse = binding.inverse
        if let inverse { try readEnds(nil, member, inverse, binding) }
        try owner.writeMembers(binding, .remove(member.objectID))
        if let inverse { try unlink(member, inverse, from: owner) }
    }

    /// Makes exactly these objects the members, in this order if the relationship is ordered.
    ///
    /// - Throws: `.wrongType`, `.wrongContext`, `.objectGone`, `.store`.
    func setMembers(
        _ members: [ManagedObject], of owner: ManagedObject, _ binding: RelationshipBinding
    ) throws(GraphError) {
        for member in members { try check(member, for: binding, of: owner) }
        let wanted = Set(members.map(\.objectID))
        let current = try owner.loadedMembers(binding).current
        for id in current where !wanted.contains(id) {
            if let member = context.registeredOrFault(id) {
                try remove(member, from: owner, binding)
            }
        }
        let known = Set(current)
        for member in members where !known.contains(member.objectID) {
            try add(member, to: owner, binding)
        }
        if binding.isOrdered {
            var seen: Set<ObjectID> = []
            let order = members.map(\.objectID).filter { seen.insert($0).inserted }
            try arrange(order, of: owner, binding)
        }
    }

    /// Moves a member of an ordered relationship to an index among the other members. An index out of
    /// bounds means the nearest end.
    ///
    /// - Throws: `.store`.
    func move(
        _ member: ObjectID, to index: Int, in owner: ManagedObject,
        _ binding: RelationshipBinding
    ) throws(GraphError) {
        let (from, last) = try currentIndex(of: member, in: owner, binding)
        let target = min(max(index, 0), last)
        if from != target { try owner.writeMembers(binding, .move(member, to: target)) }
    }

    /// Returns the index of a member, and the last index. This is a separate function so that no copy of
    /// the members exists when they change: otherwise, the change would have to copy them.
    private func currentIndex(
        of member: ObjectID, in owner: ManagedObject, _ binding: RelationshipBinding
    ) throws(GraphError) -> (index: Int?, last: Int) {
        let members = try owner.loadedMembers(binding)
        return (members.index(of: member), max(members.count - 1, 0))
    }

    /// Sets the order of the members of an ordered relationship.
    ///
    /// - Throws: `.store`.
    func arrange(
        _ ids: [ObjectID], of owner: ManagedObject, _ binding: RelationshipBinding
    ) throws(GraphError) {
        guard try owner.loadedMembers(binding).current != ids else { return }
        try owner.writeMembers(binding, .arrange(ids))
    }

    /// Returns whether the object is a member, or `guess` if neither end knows. In that case, the
    /// relationship has no inverse or a to-many inverse, and it does no harm to save a pair that is
    /// already stored or to remove a pair that is not stored.
    ///
    /// If the change may have to be undone, the store is asked instead of guessing: undoing an addition
    /// would otherwise remove a pair that was stored before.
    private func contains(
        _ member: ManagedObject, in owner: ManagedObject, _ binding: RelationshipBinding,
        guess: Bool
    ) throws(GraphError) -> Bool {
        if !context.events.recordsSteps, try known(member, in: owner, binding) == nil {
            return guess
        }
        return try contains(member, in: owner, binding)
    }

    /// Returns whether the object is a member. Does not read the other members, unless the relationship
    /// has no inverse.
    ///
    /// - Throws: `.objectGone`, `.store`.
    func contains(
        _ member: ManagedObject, in owner: ManagedObject, _ binding: RelationshipBinding
    ) throws(GraphError) -> Bool {
        if let known = try known(member, in: owner, binding) { return known }
        guard binding.inverse != nil, !owner.objectID.isTemporary, !member.objectID.isTemporary
        else { return try owner.loadedMembers(binding).contains(member.objectID) ?? false }
        return try isStoredMember(member, of: owner, binding)
    }

    /// Returns whether the object is a member, or `nil` if neither end knows without reading the other
    /// members.
    private func known(
        _ member: ManagedObject, in owner: ManagedObject, _ binding: RelationshipBinding
    ) throws(GraphError) -> Bool? {
        if let known = owner.knownMembers(binding).contains(member.objectID) { return known }
        guard let inverse = binding.inverse else { return nil }
        if inverse.isToMany { return member.knownMembers(inverse).contains(owner.objectID) }
        return try member.destinationID(inverse) == owner.objectID
    }

    /// Returns whether the source has a pair. Does not read the other members.
    private func isStoredMember(
        _ member: ManagedObject, of owner: ManagedObject, _ binding: RelationshipBinding
    ) throws(GraphError) -> Bool {
        let isOwner = BoundComparison(
            .path(BoundPath(leaf: .object)), .equal, .constant(.objectID(owner.objectID)))
        let leadsToMember = BoundComparison(
            .path(BoundPath(relationships: [binding.relationship], leaf: .object)), .equal,
            .constant(.objectID(member.objectID)), modifier: .any)
        let plan = FetchPlan(
            entity: owner.entity,
            predicate: .and([.comparison(isOwner), .comparison(leadsToMember)]), output: .ids)
        return try context.source.count(plan, in: [owner.objectID.store]) > 0
    }

    // MARK: The other end

    /// Reads what a change at the other end has to know, so that an error changes neither end.
    ///
    /// - Parameters:
    ///   - gaining: The object whose relationship `inverse` will lead to the changed object.
    ///   - losing: The object whose relationship `inverse` will not lead to it any more.
    @inline(__always) private func readEnds(
        _ gaining: ManagedObject?, _ losing: ManagedObject?, _ inverse: RelationshipBinding,
        _ binding: RelationshipBinding
    ) throws(GraphError) {
        // Inlined, because usually nothing is read: members are added and removed without reading the others.
        guard !inverse.isToMany || inverse.isOrdered && context.events.recordsSteps else { return }
        try readChangedEnds(gaining, losing, inverse, binding)
    }

    private func readChangedEnds(
        _ gaining: ManagedObject?, _ losing: ManagedObject?, _ inverse: RelationshipBinding,
        _ binding: RelationshipBinding
    ) throws(GraphError) {
        if let gaining {
            try readEnd(gaining, inverse)
            if !inverse.isToMany, let id = try gaining.destinationID(inverse) {
                try readLosingEnd(context.registeredOrFault(id), binding)
            }
        }
        try readLosingEnd(losing, inverse)
    }

    private func readLosingEnd(
        _ object: ManagedObject?, _ relationship: RelationshipBinding
    ) throws(GraphError) {
        guard let object else { return }
        do {
            try readEnd(object, relationship)
        } catch .objectGone {
            // An object that is no longer in the store has no relationship to change.
        }
    }

    private func readEnd(
        _ object: ManagedObject, _ relationship: RelationshipBinding
    ) throws(GraphError) {
        if !relationship.isToMany {
            _ = try object.destinationID(relationship)
        } else if relationship.isOrdered, context.events.recordsSteps {
            // Undoing the change restores the order.
            _ = try object.loadedMembers(relationship)
        }
    }

    /// Makes the relationship of `target` lead to the object, whose own relationship already leads to
    /// `target`.
    private func link(
        _ target: ManagedObject, _ relationship: RelationshipBinding, to object: ManagedObject,
        through binding: RelationshipBinding
    ) throws(GraphError) {
        if relationship.isToMany {
            return try target.writeMembers(
                relationship, .add(object.objectID, keepsOrder: relationship.isOrdered))
        }
        let previous = try target.destinationID(relationship)
        try target.writeDestination(object.objectID, of: relationship)
        guard let previous, previous != object.objectID,
            let loser = context.registeredOrFault(previous)
        else { return }
        try unlink(loser, binding, from: target)
    }

    /// Makes the relationship of `target` no longer lead to the object.
    private func unlink(
        _ target: ManagedObject, _ relationship: RelationshipBinding, from object: ManagedObject
    ) throws(GraphError) {
        if relationship.isToMany {
            return try target.writeMembers(relationship, .remove(object.objectID))
        }
        do {
            guard try target.destinationID(relationship) == object.objectID else { return }
            try target.writeDestination(nil, of: relationship)
        } catch .objectGone {
            // A destination that is no longer in the store has no relationship to change.
        }
    }

    /// Checks whether an object can be a destination of a relationship.
    ///
    /// - Throws: `.wrongType`, `.wrongContext`.
    private func check(
        _ member: ManagedObject, for binding: RelationshipBinding, of object: ManagedObject
    ) throws(GraphError) {
        try check(
            member, in: binding.destinationNumbers, binding.relationship.destination,
            for: binding.name, of: object)
    }

    /// Checks whether a property can lead to an object.
    ///
    /// - Parameter numbers: The numbers of `entity` and of its subentities.
    /// - Throws: `.wrongType`, `.wrongContext`.
    func check(
        _ member: ManagedObject, in numbers: Range<EntityNumber>,
        _ entity: @autoclosure () -> Entity, for name: String, of object: ManagedObject
    ) throws(GraphError) {
        guard member.owner === context else {
            throw .wrongContext(
                member.objectID, detail: "\(object.entity.name).\(name) cannot lead to it")
        }
        guard numbers.contains(member.kind.number) else {
            throw .wrongType(
                entity: object.entity.name, property: name,
                expected: "an object of \(entity().name)",
                found: "an object of \(member.entity.name)")
        }
    }
}
