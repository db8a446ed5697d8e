import CairnModel
import CairnStore

/// Fetches the values of faults, and the members of relationship faults.
struct FaultFirer {
    private let uncountedContext: Uncounted<ManagedObjectContext>
    private var context: ManagedObjectContext { uncountedContext.object }

    /// Where rows and members are read. `nil` stands for the context's source.
    private let state: (any ObjectSource)?
    private var source: any ObjectSource { state ?? context.source }

    /// - Parameter state: the state of the stores to read. `nil` stands for the one that the context reads.
    init(_ context: ManagedObjectContext, reading state: (any ObjectSource)? = nil) {
        // The context makes one for a call and outlives it.
        uncountedContext = Uncounted(context)
        self.state = state
    }

    /// Gives a fault its row.
    ///
    /// - Throws: `.objectGone`, `.store`.
    func fire(_ object: ManagedObject) throws(GraphError) {
        context.settle()
        if let age = context.faultPolicy.longestCacheAge {
            try source.refreshCache(olderThan: age)
        }
        if let row = try source.row(for: object.objectID) { return object.fill(with: row) }
        // Reading may have delivered a parent's save, and with it the object's values.
        guard object.row == nil else { return }
        guard context.faultPolicy.deletesInaccessibleFaults else {
            throw .objectGone(object.objectID)
        }
        object.change(object.allProperties) {
            object.overlay = nil
            object.state.remove(.updated)
            object.state.formUnion([.gone, .deleted])
        }
        context.tracker.noteIdle()
    }

    /// Gives many faults their rows, in one call to the source. Objects that are not faults are left as
    /// they are. A fault whose row is not in the store stays a fault.
    ///
    /// - Throws: `.store`.
    func fire(_ objects: [ManagedObject]) throws(GraphError) {
        context.settle()
        let faults = objects.filter { $0.isFault && $0.owner === context }
        guard !faults.isEmpty else { return }
        if let age = context.faultPolicy.longestCacheAge {
            try source.refreshCache(olderThan: age)
        }
        fill(faults, from: try source.rows(for: faults.map(\.objectID)))
    }

    /// Gives the faults their rows. These usually come in the order of the faults, and then no object
    /// has to be looked up by its ID.
    private func fill(_ faults: [ManagedObject], from batch: RowBatch) {
        context.remoteChanges.readNewIDs()
        var next = 0
        for index in batch.rowIndices {
            let row = batch[row: index]
            if next < faults.count, faults[next].objectID == row.id {
                faults[next].fill(with: row)
                next += 1
            } else {
                context.identityMap[context.currentID(row.id)]?.fill(with: row)
            }
        }
    }

    /// The owners of a relationship whose members are to be known.
    struct MembersRequest {
        let binding: RelationshipBinding
        let owners: [ManagedObject]
    }

    /// Makes the stored members of a relationship known for each owner that lacks them.
    ///
    /// - Throws: `.store`.
    func loadMembers(
        _ binding: RelationshipBinding, of owners: [ManagedObject]
    ) throws(GraphError) {
        guard binding.storage.objectSlot != nil else { return }
        context.settle()
        let stored = storedOwners(MembersRequest(binding: binding, owners: owners))
        guard !stored.isEmpty else { return }
        let related = try source.relatedIDs(
            binding.relationship, of: stored.map(\.objectID))
        context.remoteChanges.readNewIDs()
        load(related, of: binding, into: stored)
    }

    /// Makes the stored members of several relationships known, in one call to the source.
    ///
    /// - Returns: rows of members. The source may have returned the rows of some or none of them.
    /// - Throws: `.store`.
    func loadMembers(_ requests: [MembersRequest]) throws(GraphError) -> RowBatch {
        context.settle()
        var questions: [RelatedQuestion] = []
        var asked: [MembersRequest] = []
        for request in requests {
            let stored = storedOwners(request)
            if stored.isEmpty { continue }
            asked.append(MembersRequest(binding: request.binding, owners: stored))
            questions.append(
                RelatedQuestion(
                    request.binding.relationship, of: stored.map(\.objectID), includesRows: true))
        }
        if questions.isEmpty { return RowBatch() }
        let answer = try source.related(questions)
        context.remoteChanges.readNewIDs()
        for (request, related) in zip(asked, answer.members) {
            load(related, of: request.binding, into: request.owners)
        }
        return answer.rows
    }

    /// Returns the owners whose members only their stores know. The unknown members of other owners are
    /// set to none.
    private func storedOwners(_ request: MembersRequest) -> [ManagedObject] {
        guard let slot = request.binding.storage.objectSlot else { return [] }
        let faults = request.owners.filter { $0.writableOverlay.members(at: slot).isFault }
        // A transient relationship and an object that was never stored have no members elsewhere.
        let isStored = !request.binding.isTransient
        for object in faults where !isStored || object.isInserted {
            object.writableOverlay.updateMembers(at: slot) { $0.load([], keys: []) }
        }
        return isStored ? faults.filter { !$0.isInserted } : []
    }

    private func load(
        _ related: RelatedIDs, of binding: RelationshipBinding, into owners: [ManagedObject]
    ) {
        guard let slot = binding.storage.objectSlot else { return }
        for (index, object) in owners.enumerated() where index < related.count {
            let range = related.range(ofOwnerAt: index)
            let keys = related.orderKeys.isEmpty ? [] : Array(related.orderKeys[range])
            object.writableOverlay.updateMembers(at: slot) {
                $0.load(context.currentIDs(related.members[range]), keys: keys)
            }
        }
    }
}

extension ManagedObject {
    /// Gives a fault its values. Does nothing if the object is not a fault or does not belong to a
    /// context.
    final func fill(with row: Row) {
        guard self.row == nil, let owner else { return }
        if row.entity != kind.number, let actual = owner.kinds.model.entity(numbered: row.entity) {
            // The ID named a superentity, and the row has the actual entity. The object's class does
            // not change.
            kind = owner.kinds.kind(of: actual, objectClass: type(of: self))
            overlay?.makeRoom(for: kind)
        }
        // Observers that read a value before got `nil`, because it could not be read.
        change(properties(changedBy: row, keepingChanges: true)) {
            self.row = row
            readsRow = overlay?.dirty.isEmpty ?? true
            if state.remove(.gone) != nil { state.remove(.deleted) }
        }
        wake()
    }

    /// Calls the hook of an object whose values were fetched.
    final func wake() {
        state.insert(.awaking)
        awakeFromFetch()
        state.remove(.awaking)
    }

    /// Removes the values, and the changes too unless `keepingChanges` is `true`. If the object is a
    /// fault already, the members and changes that it has are removed in the same way.
    final func turnIntoFault(keepingChanges: Bool) {
        let wasFault = isFault
        if !wasFault { willTurnIntoFault() }
        change(allProperties) {
            row = nil
            readsRow = false
            if keepingChanges {
                overlay?.updateAllMembers { $0.turnIntoFault(keepingChanges: true) }
                overlay?.prefetched = nil
            } else {
                overlay = nil
                state.remove(.updated)
            }
        }
        if !wasFault { didTurnIntoFault() }
    }
}
