import CairnStore

extension CoordinatedSave {
    /// Writes a batch part by part, and commits all of it at once.
    ///
    /// Returns `nil` if nothing was saved and the save must be tried again: if an older save had to be finished first,
    /// or if the batch must be checked as a whole. ``parts`` is then `nil`, and the batch is in memory.
    mutating func attempt(
        named name: SaveID?, writing parts: BatchParts
    ) throws(GraphError) -> SaveResult? {
        let save = saves[0]
        // Has no effect after the commit.
        defer { save.rollback() }
        let isWritten: Bool
        do {
            try StoreDeadline.check()
            try save.begin()
            if try finishOlderSaves() { return nil }
            try nameRequests(name)
            isWritten = try write(parts, save)
        } catch {
            throw GraphError(ofSave: error)
        }
        guard isWritten else {
            save.rollback()
            self.parts = nil
            try parts.batch.load()
            return nil
        }
        save.partObjectCount = parts.batch.counts.total
        _ = try commit(save, after: [])
        return .nothing
    }

    /// Prepares all parts, and checks that they break no references, unless the engine does. Returns `false` if that
    /// cannot be told part by part.
    private func write(_ parts: BatchParts, _ save: StoreSave) throws(StoreError) -> Bool {
        guard let transaction = save.transaction else { return false }
        // What still refers to a deleted object is known when all parts are written.
        let checks = save.attached.capabilities.letsReferencesBeChecked
        let checksLater = checks && !parts.batch.deletedEntities.isEmpty
        for index in 0..<parts.requests.count {
            if Task.isCancelled { throw .cancelled }
            let request = try parts.request(at: index, of: save.request)
            do throws(StoreError) {
                _ = try transaction.prepareNext(request)
            } catch .uniquenessConflicts(let conflicts) {
                guard parts.conflictsAreFinal else { return false }
                throw .uniquenessConflicts(
                    try conflicts.map { conflict throws(StoreError) in
                        try newObjects(of: conflict, request, save)
                    })
            } catch {
                throw error
            }
            if checks, !checksLater, try !keepsReferences(request, save) { return false }
        }
        for index in 0..<parts.requests.count where checksLater {
            let request = try parts.request(at: index, of: save.request)
            if try !keepsReferences(request, save) { return false }
        }
        return true
    }

    /// Returns the conflict of a new object with one of an earlier part as that of two new objects.
    private func newObjects(
        of conflict: UniquenessConflict, _ request: SaveRequest, _ save: StoreSave
    ) throws(StoreError) -> UniquenessConflict {
        let before = StoredRows(request, in: save, prepared: nil, isPart: true)
        defer { before.end() }
        guard let other = conflict.stored, try before.formerRow(of: other.id) == nil else {
            return conflict
        }
        return UniquenessConflict(
            entity: conflict.entity, constraint: conflict.constraint,
            requested: [other.id] + conflict.requested, stored: nil)
    }

    /// Returns whether a prepared part keeps all references intact. Returns `false` if that depends on members that
    /// other parts change.
    ///
    /// - Throws: `.referenceConflicts`.
    private func keepsReferences(
        _ request: SaveRequest, _ save: StoreSave
    ) throws(StoreError) -> Bool {
        let stored = StoredRows(request, in: save, prepared: save.transaction, isPart: true)
        var broken = BrokenReferences(references, in: stored)
        let conflicts = try broken.conflicts()
        if stored.hasReadOldMembers { return false }
        if !conflicts.isEmpty { throw .referenceConflicts(conflicts) }
        return true
    }
}
