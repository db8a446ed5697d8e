import CairnModel
import CairnStack

/// Resolving conflicts between objects that have the same unique values.
extension ConflictResolver {
    /// Lets the stored object keep the values. Conflicting new objects leave the context, and relationships
    /// to them are changed to lead to the stored object. Conflicting changed objects get their former values
    /// back.
    ///
    /// If the stored object is not in the context, the first new object does not leave. It becomes the
    /// stored object instead, with the stored ID and values.
    ///
    /// If there is no stored object, the values are kept by the first conflicting object that is in the
    /// store, or, if there is no such object, by the first conflicting object.
    ///
    /// - Parameters:
    ///   - conflict: The conflict to resolve.
    ///   - keepingOtherChanges: Whether a changed object keeps its changes to other properties.
    /// - Throws: `.store`, `.objectGone`.
    public func keepStored(
        _ conflict: ConstraintConflict, keepingOtherChanges: Bool = true
    ) throws(GraphError) {
        let objects = conflicting(conflict)
        let stored = try storedObjectToKeep(of: conflict, among: objects)
        let winner = stored ?? objects.first { !$0.isInserted } ?? objects.first
        for object in objects where object !== winner {
            if object.isInserted {
                if let winner {
                    try links.redirect(to: winner, from: object, handingOver: false)
                }
                try discard(inserted: object, inFavorOf: winner)
            } else if keepingOtherChanges {
                try revert(conflict.constraint, of: object)
            } else {
                try revertChanges(of: object)
            }
        }
    }

    /// Gives the values to the last of the conflicting objects. The stored object is deleted, and its
    /// delete rules are applied.
    ///
    /// - Throws: `.store`, `.objectGone`.
    public func replace(_ conflict: ConstraintConflict) throws(GraphError) {
        let objects = conflicting(conflict)
        // If another conflict of the same objects was resolved before, none of them may be left.
        if objects.isEmpty { return }
        try yield(objects.dropLast(), to: objects.last, conflict)
        if let stored = try databaseObject(of: conflict) { try context.delete(stored) }
    }

    /// Unites the stored object and a new object. The new object's values that differ from the model's
    /// defaults are written to the stored object, and relationships to the new object are changed to lead to
    /// the stored object. If the stored object is not in the context, the new object becomes the stored
    /// object and gets its ID. Otherwise, the new object leaves the context.
    ///
    /// If several new objects conflict, the last one is united. If the last conflicting object is a
    /// changed object, or if there is no stored object, this does the same as ``replace(_:)``.
    ///
    /// - Throws: `.store`, `.objectGone`.
    public func mergeIntoStored(_ conflict: ConstraintConflict) throws(GraphError) {
        let objects = conflicting(conflict)
        guard let last = objects.last, last.isInserted, conflict.stored != nil
        else { return try replace(conflict) }
        let formerID = last.objectID
        let content = try InsertedContent(of: last, in: context, handingOver: true)
        guard let stored = try storedObject(of: conflict, for: last) else { return }
        if stored !== last { try discard(inserted: last, inFavorOf: stored) }
        try yield(objects.dropLast(), to: stored, conflict)
        try content.give(to: stored, in: context)
        try links.redirectOneWay(to: stored, from: formerID)
    }

    /// Returns the stored object of a conflict. If the first of the new objects can become the stored
    /// object, that object is returned. Relationships to it are then kept, and its own values and
    /// relationships are discarded.
    private func storedObjectToKeep(
        of conflict: ConstraintConflict, among objects: [ManagedObject]
    ) throws(GraphError) -> ManagedObject? {
        guard let object = objects.first(where: \.isInserted) else {
            return try databaseObject(of: conflict)
        }
        let formerID = object.objectID
        let content = try InsertedContent(of: object, in: context, handingOver: false)
        let stored = try storedObject(of: conflict, for: object)
        if let stored, stored === object {
            try content.give(to: stored, in: context)
            try links.redirectOneWay(to: stored, from: formerID)
        }
        return stored
    }

    /// Returns the stored object of a conflict. If the new object can become the stored object, that
    /// object is returned.
    private func storedObject(
        of conflict: ConstraintConflict, for object: ManagedObject?
    ) throws(GraphError) -> ManagedObject? {
        guard let row = conflict.stored, let object, canBecomeStored(object, row) else {
            return try databaseObject(of: conflict)
        }
        try becomeStored(object, row)
        return object
    }

    /// Takes the values away from objects that lose the conflict.
    private func yield(
        _ losers: some Sequence<ManagedObject>, to winner: ManagedObject?,
        _ conflict: ConstraintConflict
    ) throws(GraphError) {
        for object in losers {
            if object.isInserted {
                if let winner {
                    try links.redirect(to: winner, from: object, handingOver: true)
                }
                try discard(inserted: object, inFavorOf: winner)
            } else {
                try revert(conflict.constraint, of: object)
            }
        }
    }

    private func conflicting(_ conflict: ConstraintConflict) -> [ManagedObject] {
        conflict.conflictingObjects.compactMap {
            context.registeredObject(for: $0).flatMap { $0.hasChanges && !$0.isDeleted ? $0 : nil }
        }
    }

    /// Returns the stored object with its current stored values. The context's changes are kept on top
    /// of them.
    private func databaseObject(
        of conflict: ConstraintConflict
    ) throws(GraphError) -> ManagedObject? {
        guard let row = conflict.stored, let object = context.materialize(row) else { return nil }
        if object.row?.version != row.version {
            remember(object)
            object.rebase(on: row)
        }
        return object
    }
}
