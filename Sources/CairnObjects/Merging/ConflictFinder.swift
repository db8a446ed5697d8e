import CairnModel
import CairnRows
import CairnStack
import CairnStore

/// Converts the conflicts that a store reports to conflicts of a context's objects.
struct ConflictFinder {
    let context: ManagedObjectContext

    /// - Throws: `.objectGone` if the context does not contain an object; `.store` if a value that is
    ///   stored outside its row cannot be read.
    func mergeConflicts(_ conflicts: [RowConflict]) throws(GraphError) -> [MergeConflict] {
        var found: [MergeConflict] = []
        for conflict in conflicts {
            let id = context.currentID(conflict.id)
            guard let object = context.identityMap[id] else { throw .objectGone(id, .leftContext) }
            found.append(
                MergeConflict(
                    objectID: id, entityName: object.entity.name,
                    oldVersion: object.row?.version ?? 0,
                    newVersion: conflict.stored?.version ?? 0,
                    objectSnapshot: object.isDeleted ? nil : try object.snapshot(),
                    cachedSnapshot: try object.row.map(object.snapshot),
                    persistedSnapshot: try conflict.stored.map(object.snapshot),
                    stored: conflict.stored))
        }
        return found
    }

    /// Returns the conflicts with the IDs that the objects have in the context now.
    func referenceConflicts(_ conflicts: [ReferenceConflict]) -> [ReferenceConflict] {
        conflicts.map { conflict in
            var conflict = conflict
            conflict.object = context.currentID(conflict.object)
            conflict.members = conflict.members.map(context.currentID)
            return conflict
        }
    }

    /// - Throws: `.store`, as ``mergeConflicts(_:)``.
    func constraintConflicts(
        _ conflicts: [UniquenessConflict]
    ) throws(GraphError) -> [ConstraintConflict] {
        let positions = Dictionary(
            context.tracker.objects.enumerated().map { ($1.objectID, $0) },
            uniquingKeysWith: { first, _ in first })
        var found: [ConstraintConflict] = []
        for conflict in conflicts {
            let ids = conflict.requested.map(context.currentID)
                .sorted { positions[$0, default: .max] < positions[$1, default: .max] }
            let objects = ids.compactMap { context.identityMap[$0] }
            var snapshots: [[String: Value]] = []
            for object in objects { snapshots.append(try object.snapshot()) }
            let names = Set(conflict.constraint)
            let stored = conflict.stored
            found.append(
                ConstraintConflict(
                    entityName: conflict.entity, constraint: conflict.constraint,
                    constraintValues: (snapshots.first ?? [:]).filter { names.contains($0.key) },
                    databaseObject: stored?.id,
                    databaseSnapshot: try stored.flatMap(storedObject)?.snapshot(stored),
                    conflictingObjects: objects.map(\.objectID), conflictingSnapshots: snapshots,
                    stored: stored))
        }
        return found
    }

    private func storedObject(_ row: Row) -> ManagedObject? { context.registeredOrFault(row.id) }
}

extension ManagedObject {
    /// Returns the current values by name.
    fileprivate final func snapshot() throws(GraphError) -> [String: Value] {
        var values: [String: Value] = [:]
        for slot in kind.layout.rowSlots {
            values[kind.layout.property(at: slot).name] = try value(at: slot)
        }
        return values
    }

    /// Returns the values of a row of the object by name, or `nil` if there is no row.
    fileprivate final func snapshot(_ row: Row?) throws(GraphError) -> [String: Value]? {
        guard let row else { return nil }
        return try snapshot(row)
    }

    fileprivate final func snapshot(_ row: Row) throws(GraphError) -> [String: Value] {
        var values: [String: Value] = [:]
        for slot in kind.layout.rowSlots {
            values[kind.layout.property(at: slot).name] = try storedValue(at: slot, in: row)
        }
        return values
    }
}
