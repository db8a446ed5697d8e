import CairnModel
import CairnStore

/// Fetches the values of faults, and the members of relationship faults.
struct FaultFirer {
    /// How many faults are fired in one call to the source.
    static let batchCount = 500

    private let unmanagedContext: Unmanaged<ManagedObjectContext>
    private var context: ManagedObjectContext { unmanagedContext.takeUnretainedValue() }

    init(_ context: ManagedObjectContext) {
        // The context makes one for a call and outlives it.
        unmanagedContext = .passUnretained(context)
    }

    /// Gives a fault its row.
    ///
    /// - Throws: `.objectGone`, `.store`.
    func fire(_ object: ManagedObject) throws(GraphError) {
        context.settle()
        try refreshCache()
        if let row = try context.source.row(for: object.objectID) { return object.fill(with: row) }
        // Reading may have told of a parent's save, and that of the object's values.
        guard object.row == nil else { return }
        guard context.shouldDeleteInaccessibleFaults else { throw .objectGone(object.objectID) }
        object.change(object.allProperties) {
            object.overlay = nil
            object.state.insert(.gone)
        }
    }

    private func refreshCache() throws(GraphError) {
        // Durations hold no infinity; a row is never older than a century.
        let interval = min(context.stalenessInterval, 3e9)
        guard interval >= 0 else { return }
        try context.source.refreshCache(olderThan: .seconds(interval))
    }

    /// Gives many faults their rows, in calls of ``batchCount``. Others are left as they are; one
    /// whose row is not in the store stays a fault.
    ///
    /// - Throws: `.store`.
    func fire(_ objects: [ManagedObject]) throws(GraphError) {
        context.settle()
        let faults = objects.filter { $0.isFault && $0.owner === context }
        if faults.count > 1 { try refreshCache() }
        var start = 0
        while start < faults.count {
            let part = faults[start..<min(start + Self.batchCount, faults.count)]
            let batch = try context.source.rows(for: part.map(\.objectID))
            context.readNewIDs()
            for index in batch.rowIndices {
                let row = batch[row: index]
                context.identityMap[context.currentID(row.id)]?.fill(with: row)
            }
            start += part.count
        }
    }

    /// Makes the stored members of a relationship known for each owner that lacks them.
    ///
    /// - Throws: `.store`.
    func loadMembers(
        _ binding: RelationshipBinding, of owners: [ManagedObject]
    ) throws(GraphError) {
        guard let slot = binding.storage.objectSlot else { return }
        context.settle()
        let faults = owners.filter { $0.writableOverlay.members(at: slot).isFault }
        // A transient relationship and an object that was never stored have no members elsewhere.
        let isStored = !binding.isTransient
        for object in faults where !isStored || object.isInserted {
            object.writableOverlay.updateMembers(at: slot) { $0.load([], keys: []) }
        }
        let stored = isStored ? faults.filter { !$0.isInserted } : []
        guard !stored.isEmpty else { return }
        let related = try context.source.relatedIDs(
            binding.relationship, of: stored.map(\.objectID))
        context.readNewIDs()
        for (index, object) in stored.enumerated() where index < related.count {
            let range = related.range(ofOwnerAt: index)
            let keys = related.orderKeys.isEmpty ? [] : Array(related.orderKeys[range])
            object.writableOverlay.updateMembers(at: slot) {
                $0.load(related.members[range].map(context.currentID), keys: keys)
            }
        }
    }
}

extension ManagedObject {
    /// Gives a fault its values.
    final func fill(with row: Row) {
        guard self.row == nil, let owner else { return }
        if row.entity != kind.number, let actual = owner.kinds.model.entity(numbered: row.entity) {
            // The ID named a superentity; the row knows better. The object's class stays.
            kind = owner.kinds.kind(of: actual, objectClass: type(of: self))
            overlay?.makeRoom(for: kind)
        }
        // Who read it already got nil, because it could not be had.
        change(properties(changedBy: row, keepingChanges: true)) {
            self.row = row
            readsRow = overlay?.dirty.isEmpty ?? true
            state.remove(.gone)
        }
        wake()
    }

    /// Calls the hook of an object that got its values.
    final func wake() {
        state.insert(.awaking)
        awakeFromFetch()
        state.remove(.awaking)
    }

    /// Forgets the values, and the changes where asked to. One that is a fault already forgets
    /// where its relationships lead.
    final func turnIntoFault(keepingChanges: Bool) {
        let wasFault = isFault
        if !wasFault { willTurnIntoFault() }
        change(allProperties) {
            row = nil
            readsRow = false
            if keepingChanges {
                overlay?.updateAllMembers { $0.turnIntoFault(keepingChanges: true) }
            } else {
                overlay = nil
                state.remove(.updated)
            }
        }
        if !wasFault { didTurnIntoFault() }
    }
}
