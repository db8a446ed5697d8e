import CairnModel
import CairnStack
import CairnStore

/// Resolving conflicts between the context's changes and references that others saved.
extension ConflictResolver {
    /// Carries out the context's changes with what others saved.
    ///
    /// If the context deletes the object, the delete rules are applied again, now to the members that were
    /// found. An object that others deleted is stored again, with its former ID and values. In a one-to-one
    /// relationship, the former partner is released.
    ///
    /// - Throws: `.referenceConflicts` if others deleted the object and the context does not have its
    ///   values, or if the object needs the members; `.store`, `.objectGone`.
    public func overwrite(_ conflict: ReferenceConflict) throws(GraphError) {
        try readNewest(conflict)
        switch conflict.reason {
        case .deleted:
            guard let object = context.registeredObject(for: conflict.object), object.isDeleted
            else { return }
            object.forgetStoredMembers()
            try applyDeleteRules()
        case .missing:
            guard let object = context.registeredObject(for: conflict.object),
                object.row != nil, !object.isDeleted
            else { throw .referenceConflicts([conflict]) }
            remember(object)
            try object.restoreInserted()
            context.tracker.note(object, .inserted)
        case .tooFewMembers: throw .referenceConflicts([conflict])
        case .oneSided:
            for (object, binding, member, inverse) in try ends(of: conflict) {
                if try isChanged(inverse, of: member) {
                    // Set again, so that both ends and the former partners change.
                    try member.writeDestination(nil, of: inverse)
                    try context.relations.setDestination(object, of: member, inverse)
                } else if try object.destinationID(binding) != member.objectID {
                    try member.writeDestination(nil, of: inverse)
                }
            }
        }
    }

    /// Gives up the changes of the context that others' changes contradict.
    ///
    /// A deletion is taken back, together with the deletions that only its delete rules caused, and with the
    /// deletions of the objects that the object refers to. A reference to an object that others deleted
    /// returns to its stored value. A new object loses the reference, or leaves the context if the
    /// relationship's delete rule is cascade. In a one-to-one relationship, the stored partner is taken.
    ///
    /// - Throws: `.store`, `.objectGone`.
    public func discard(_ conflict: ReferenceConflict) throws(GraphError) {
        try readNewest(conflict)
        switch conflict.reason {
        case .deleted:
            guard let object = context.registeredObject(for: conflict.object) else { return }
            try takeBackDeletion(of: object)
        case .missing:
            for (member, inverse, rule) in try members(of: conflict) {
                try forgetDestination(inverse, of: member, after: rule)
            }
        case .tooFewMembers:
            for member in conflict.members.compactMap({ context.registeredObject(for: $0) })
            where member.isDeleted { try takeBackDeletion(of: member) }
            for (member, inverse, _) in try members(of: conflict) where !inverse.isToMany {
                try takeStored(inverse, of: member)
            }
        case .oneSided:
            for (object, binding, member, inverse) in try ends(of: conflict) {
                let isMember = try isChanged(inverse, of: member)
                try takeStored(isMember ? inverse : binding, of: isMember ? member : object)
            }
        }
    }

    /// - Throws: `.validation` if one of the conflicts is that a deletion is denied. No policy can allow it.
    func requireNoDenials(_ conflicts: [ReferenceConflict]) throws(GraphError) {
        var failures: [ValidationFailure] = []
        for conflict in conflicts where conflict.reason == .deleted {
            guard let object = context.registeredObject(for: conflict.object), object.isDeleted,
                case .relationship(let binding) = try object.kind.binding(conflict.relationship),
                binding.deleteRule == .deny
            else { continue }
            failures.append(
                DeleteRules.denial(
                    of: object.objectID, object.entity.name, binding.name, conflict.members))
        }
        if !failures.isEmpty { throw .validation(failures) }
    }

    // MARK: Steps

    /// Gives the objects of a conflict their newest stored values, and keeps their changes.
    private func readNewest(_ conflict: ReferenceConflict) throws(GraphError) {
        let objects = ([conflict.object] + conflict.members).compactMap {
            context.registeredOrFault($0)
        }.filter { !$0.isInserted }
        for object in objects { remember(object) }
        let batch = try context.source.freshRows(for: objects.map(\.objectID))
        context.remoteChanges.rebase(on: batch)
    }

    /// Applies the delete rules of the objects that this event deletes or has changed, with their newest
    /// members. Deletions that no rule causes any more are taken back.
    func applyDeleteRules() throws(GraphError) {
        try takeBackUnreachedDeletions()
        try context.events.deletions.propagate()
    }

    /// Takes back the deletion of an object, and of the objects that it refers to.
    func takeBackDeletion(of object: ManagedObject) throws(GraphError) {
        if object.awaitsDeletion { try restore(object) }
        try takeBackDeletions(ofDestinationsOf: object)
    }

    /// Takes back the deletions of the objects that an object refers to, and that would break its references.
    func takeBackDeletions(ofDestinationsOf object: ManagedObject) throws(GraphError) {
        var next = [object]
        while let object = next.popLast() {
            for binding in object.kind.relationships
            where !binding.isToMany && binding.inverse != nil {
                guard let id = try object.destinationID(binding),
                    let destination = context.identityMap[id], destination.awaitsDeletion
                else { continue }
                try restore(destination)
                next.append(destination)
            }
        }
        try takeBackUnreachedDeletions()
    }

    /// Takes back the deletions that delete rules caused, but do not cause any more.
    func takeBackUnreachedDeletions() throws(GraphError) {
        let deleted = context.tracker.objects.filter(\.awaitsDeletion)
        let reached = try DeleteRules(context).reached(of: deleted)
        for object in deleted where !reached.contains(ObjectIdentifier(object)) {
            try restore(object)
        }
    }

    /// Returns a deleted object to its stored state, which its deletion did not mean to change.
    private func restore(_ object: ManagedObject) throws(GraphError) {
        remember(object)
        try revertChanges(of: object)
        object.cancelDeletion()
        object.endUpdate()
        object.isDeletedByRule = false
        // Members that were forgotten are needed to restore the other ends.
        for binding in object.kind.relationships where binding.isManyToMany {
            _ = try object.loadedMembers(binding)
        }
        try links.relink(object)
        context.tracker.noteIdle()
    }

    private func forgetDestination(
        _ inverse: RelationshipBinding, of member: ManagedObject, after rule: DeleteRule
    ) throws(GraphError) {
        if !member.isInserted { return try takeStored(inverse, of: member) }
        if rule == .cascade { return try discard(inserted: member, inFavorOf: nil) }
        remember(member)
        try member.writeDestination(nil, of: inverse)
    }

    /// Sets a to-one relationship to its stored value, at both ends.
    private func takeStored(
        _ binding: RelationshipBinding, of object: ManagedObject
    ) throws(GraphError) {
        guard let row = object.row, let slot = binding.storage.rowSlot else { return }
        remember(object)
        try links.take(object.raw(object.kind.layout[slot], in: row), at: slot, of: object)
    }

    private func isChanged(
        _ binding: RelationshipBinding, of object: ManagedObject
    ) throws(GraphError) -> Bool {
        guard let slot = binding.storage.rowSlot else { return false }
        return object.isInserted || object.overlay?.dirty.contains(slot) == true
    }

    /// Returns the members that are in the context, each with the relationship that refers to the object,
    /// and the delete rule of the object's relationship.
    private func members(
        of conflict: ReferenceConflict
    ) throws(GraphError) -> [(ManagedObject, RelationshipBinding, DeleteRule)] {
        guard let kind = context.kinds.kind(numbered: conflict.object.entity),
            case .relationship(let binding) = try kind.binding(conflict.relationship),
            let inverse = binding.inverse
        else { return [] }
        return conflict.members.compactMap { context.registeredOrFault($0) }
            .filter { !$0.isDeleted }.map { ($0, inverse, binding.deleteRule) }
    }

    /// Returns both ends of each reference: the object, its relationship, the member, and the member's
    /// relationship.
    private func ends(
        of conflict: ReferenceConflict
    ) throws(GraphError) -> [(
        ManagedObject, RelationshipBinding, ManagedObject, RelationshipBinding
    )] {
        guard let object = context.registeredOrFault(conflict.object),
            case .relationship(let binding) = try object.kind.binding(conflict.relationship)
        else { return [] }
        for other in [object] + conflict.members.compactMap({ context.registeredOrFault($0) }) {
            remember(other)
        }
        return try members(of: conflict).map { ($0.0, $0.1) }
            .map { (object, binding, $0.0, $0.1) }
    }
}
