import CairnModel
import CairnRows
import CairnStack
import CairnStore
import Logging

/// Fetches the values of faults, and the members of relationship faults.
struct FaultFirer {
    private let uncountedContext: Uncounted<ManagedObjectContext>
    private var context: ManagedObjectContext { uncountedContext.object }

    /// The source of rows and members. `nil` means the context's source.
    private let state: (any ObjectSource)?
    private var source: any ObjectSource { state ?? context.source }

    /// - Parameter state: The state of the stores to read. `nil` means the state that the context reads.
    init(_ context: ManagedObjectContext, reading state: (any ObjectSource)? = nil) {
        // Not reference-counted: the context creates a firer for a single call and outlives it.
        uncountedContext = Uncounted(context)
        self.state = state
    }

    /// Fetches the row of a fault.
    ///
    /// - Throws: `.objectGone`, `.store`.
    func fire(_ object: ManagedObject) throws(GraphError) {
        context.settle()
        if let age = context.faultPolicy.longestCacheAge { try source.refreshCache(olderThan: age) }
        if let row = try source.row(for: object.objectID) { return object.fill(with: row) }
        // Reading may have delivered a parent's save, which included the object's values.
        guard object.row == nil else { return }
        guard context.faultPolicy.deletesInaccessibleFaults else {
            throw .objectGone(object.objectID, object.absence)
        }
        object.change(object.allProperties) {
            object.overlay = nil
            object.state.remove(.updated)
            object.state.formUnion([.gone, .deleted, .deletedElsewhere])
        }
        context.tracker.noteIdle()
    }

    /// Fetches the rows of many faults, in one call to the source. Objects that are not faults are not
    /// changed. A fault whose row is not in the store stays a fault.
    ///
    /// - Throws: `.store`.
    func fire(_ objects: [ManagedObject]) throws(GraphError) {
        context.settle()
        let faults = objects.filter { $0.isFault && $0.owner === context }
        guard !faults.isEmpty else { return }
        if let age = context.faultPolicy.longestCacheAge { try source.refreshCache(olderThan: age) }
        fill(faults, from: try source.rows(for: faults.map(\.objectID)))
    }

    /// Fetches the rows of faults as ``fire(_:)-([ManagedObject])``, and the members of all relationships of the
    /// objects.
    ///
    /// - Throws: `.store`.
    func fireWithMembers(_ objects: [ManagedObject]) throws(GraphError) {
        try fire(objects)
        for (kind, objects) in DeleteRules.grouped(objects) {
            for binding in kind.relationships where binding.isToMany {
                try loadMembers(binding, of: objects)
            }
        }
    }

    /// Sets the rows of faults. The rows usually have the order of the faults. In that case, objects
    /// need not be looked up by ID.
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

    /// A relationship, and the owners whose members are to be loaded.
    struct MembersRequest {
        let binding: RelationshipBinding
        let owners: [ManagedObject]
    }

    /// Loads the stored members of a relationship for each owner that does not have them.
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

    /// Loads the stored members of several relationships, in one call to the source.
    ///
    /// - Returns: Rows of members. The source may return rows for only some of the members, or for none.
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

    /// Returns the owners whose members must be read from their stores. For other owners, sets unknown
    /// members to an empty list.
    private func storedOwners(_ request: MembersRequest) -> [ManagedObject] {
        guard let slot = request.binding.storage.objectSlot else { return [] }
        let faults = request.owners.filter { $0.writableOverlay.members(at: slot).isFault }
        // Transient relationships, and objects that were never saved, have no stored members.
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
    /// Sets the values of a fault. Has no effect if the object is not a fault or does not belong to a
    /// context.
    final func fill(with row: Row) {
        guard self.row == nil, let owner else { return }
        if row.entity != kind.number, let actual = owner.kinds.model.entity(numbered: row.entity) {
            // The ID contained a superentity, and the row contains the actual entity. The object's class
            // does not change.
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

    /// Removes the values, and also the changes unless `keepingChanges` is `true`. If the object is
    /// already a fault, its members and changes are removed in the same way.
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

/// Reports values that could not be read by accessors that do not throw.
///
/// A context and the kinds of its objects share one instance. The handler is therefore also called for
/// objects that left the context, even after the context was deallocated.
final class FaultFailures {
    /// Called for each failure. If it is `nil`, each failure is logged as an error.
    var handler: ((GraphError, ManagedObject) -> Void)?
    /// The monitor of the context's coordinator. `nil` if the context has no coordinator.
    var monitor: OperationMonitor?

    func report(_ error: GraphError, of object: ManagedObject) {
        if let handler { return handler(error, object) }
        let logger = monitor?.logger ?? Monitoring().logger
        logger.error(
            "A value could not be read: \(error)",
            metadata: ["entity": "\(object.entity.name)", "object": "\(object.objectID)"])
    }
}

/// Determines what a context does when a fault is fired: how old a cached row may be, and what happens
/// to a fault whose row no longer exists.
struct FaultPolicy {
    /// See ``ManagedObjectContext/stalenessInterval``.
    var stalenessInterval: Double = -1
    /// See ``ManagedObjectContext/shouldDeleteInaccessibleFaults``.
    var deletesInaccessibleFaults = false

    /// How long ago a cached row may have been known to be current. `nil` means any time.
    var longestCacheAge: Duration? {
        guard stalenessInterval >= 0 else { return nil }
        // A `Duration` cannot be infinite, and a row is never older than a century.
        return .seconds(min(stalenessInterval, 3e9))
    }
}
