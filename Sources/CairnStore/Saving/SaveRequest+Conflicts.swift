import CairnModel
import CairnRows

extension SaveRequest {
    /// Returns a conflict for each row that is not in the store as the request expects it, in the
    /// order of updates, deletions and insertions. An insertion expects no row, and is reported
    /// with expected version 0.
    ///
    /// The second change of one object is always a conflict, because the first one has changed its
    /// version.
    ///
    /// - Parameter stored: returns the row that is in the store before the save.
    /// - Throws: the errors that `stored` throws.
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

    /// Whether two of the request's changes concern the same object. Fast if the rows are sorted by
    /// key.
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
