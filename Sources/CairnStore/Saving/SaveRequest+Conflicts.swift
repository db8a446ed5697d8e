import CairnModel

extension SaveRequest {
    /// The rows that are not in the store as the request expects them, in the order of updates,
    /// deletions and insertions; an insertion expects no row, which is reported as version 0.
    ///
    /// An object that comes twice has, for the second change, another version already.
    ///
    /// - Parameter stored: returns the row that is in the store before the save.
    /// - Throws: what `stored` throws.
    public func rowConflicts<Failure: Error>(
        stored: (ObjectID) throws(Failure) -> Row?
    ) throws(Failure) -> [RowConflict] {
        var conflicts: [RowConflict] = []
        var seen = Set<ObjectID>(minimumCapacity: updated.count + deleted.count + inserted.count)
        func check(_ id: ObjectID, _ expected: Int64?) throws(Failure) {
            let found = try stored(id)
            if seen.insert(id).inserted, found?.version == expected { return }
            conflicts.append(RowConflict(id: id, expectedVersion: expected ?? 0, stored: found))
        }
        for update in updated { try check(update.row.id, update.previousVersion) }
        for deletion in deleted { try check(deletion.id, deletion.previousVersion) }
        for row in inserted.rows { try check(row.id, nil) }
        return conflicts
    }

    /// Whether two of its changes are of one object. Cheap where rows come by growing keys.
    package var changesAnObjectTwice: Bool {
        let changed = updated.map(\.row.id) + deleted.map(\.id)
        let new = inserted.ids
        if Self.hasRepeats(changed) || Self.hasRepeats(new) { return true }
        if changed.isEmpty || new.isEmpty { return false }
        return !Set(changed).isDisjoint(with: new)
    }

    private static func hasRepeats(_ ids: [ObjectID]) -> Bool {
        let isAscending = zip(ids, ids.dropFirst()).allSatisfy {
            ($0.rootEntity, $0.key) < ($1.rootEntity, $1.key)
        }
        return !isAscending && Set(ids).count != ids.count
    }
}
