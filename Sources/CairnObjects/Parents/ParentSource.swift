import CairnModel
import CairnRows
import CairnStack
import CairnStore
import CairnThreads
import Foundation

/// A parent context as the source of a child context. Its rows are the parent's objects with their
/// unsaved changes, and a save changes only the parent.
///
/// Each call is a turn of the parent, or part of the current turn if the calling thread is in one. A
/// child waits for its parent, never the reverse. The ``WaitGraph`` detects a thread that would wait for
/// itself.
final class ParentSource: ObjectSource {
    let parent: ContextHandle
    /// The child's inbox, which already has the new IDs that the child received but has not processed.
    private let inbox: ContextInbox
    init(_ parent: ContextHandle, for inbox: ContextInbox) {
        self.parent = parent
        self.inbox = inbox
    }

    // These are computed properties because the parent may be connected to stores after its child was
    // created.
    var layouts: RowLayouts { parent.source.layouts }
    var temporarySpace: StoreNumber { parent.source.temporarySpace }
    var refusal: GraphError? { parent.source.refusal }
    /// The parent, the parent's parent, and so on.
    var lineOfParents: [ManagedObjectContext] {
        [parent.context] + ((parent.source as? ParentSource)?.lineOfParents ?? [])
    }

    var holdsUnsavedObjects: Bool { true }
    var feed: ContextFeed? { parent.children }
    var coordinator: PersistentStoreCoordinator? { parent.source.coordinator }
    var executor: TurnExecutor { parent.source.executor }

    func fetch(_ plan: FetchPlan, in stores: [StoreNumber]?) throws(GraphError) -> RowBatch {
        try parent.performAndWaitTyped { parent throws(GraphError) in
            parent.settle()
            let found = try parent.fetchStorage(plan, in: stores, includesPendingChanges: true)
            return try UnsavedRows(parent).rows(of: found, idsOnly: plan.output == .ids)
        }
    }

    func count(_ plan: FetchPlan, in stores: [StoreNumber]?) throws(GraphError) -> Int {
        try parent.performAndWaitTyped { parent throws(GraphError) in
            parent.settle()
            return try parent.count(plan, in: stores, includesPendingChanges: true)
        }
    }

    func dictionaries(
        _ plan: DictionaryPlan, in stores: [StoreNumber]?
    ) throws(GraphError) -> [DictionaryRow] {
        try parent.performAndWaitTyped { parent throws(GraphError) in
            try parent.source.dictionaries(plan, in: stores)
        }
    }

    /// Returns whether the parent's object is in one of these stores, or will be. Returns `true` if the
    /// parent cannot be asked, or no longer has the object.
    func mayBeStored(_ id: ObjectID, in stores: [StoreNumber]) -> Bool {
        let answer = try? parent.performAndWaitTyped { [inbox] parent throws(GraphError) in
            parent.identityMap[parent.currentID(inbox.newID(of: id) ?? id)]
                .map { parent.mayBeStored($0, in: stores) }
        }
        return answer.flatMap(\.self) ?? true
    }

    /// Refreshes the caches of the parent's source. Values that the parent's objects hold do not expire.
    func refreshCache(olderThan age: Duration) throws(GraphError) {
        try parent.performAndWaitTyped { parent throws(GraphError) in
            try parent.source.refreshCache(olderThan: age)
        }
    }

    func rows(for ids: [ObjectID]) throws(GraphError) -> RowBatch {
        try parent.performAndWaitTyped { [inbox] parent throws(GraphError) in
            try UnsavedRows(parent).rows(for: ids.map { inbox.newID(of: $0) ?? $0 })
        }
    }

    /// Returns the objects' rows after refreshing the parent's objects from their own source.
    func freshRows(for ids: [ObjectID]) throws(GraphError) -> RowBatch {
        try parent.performAndWaitTyped { [inbox] parent throws(GraphError) in
            let ids = ids.map { inbox.newID(of: $0) ?? $0 }
            let gone = try parent.refreshRealized(ids)
            return try UnsavedRows(parent).rows(for: ids.filter { !gone.contains($0) })
        }
    }

    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(GraphError) -> RelatedIDs {
        try parent.performAndWaitTyped { [inbox] parent throws(GraphError) in
            try UnsavedRows(parent).relatedIDs(
                relationship, of: ids.map { inbox.newID(of: $0) ?? $0 })
        }
    }

    func externalData(_ reference: ExternalReference) throws(GraphError) -> Data {
        try parent.source.externalData(reference)
    }

    /// - Throws: `.store(.rowConflicts)` if the parent's objects differ from the values that the child
    ///   read. The parent is then unchanged.
    func save(
        _ changes: ChangeSet, of objects: any ChangedObjects
    ) throws(GraphError) -> SaveResult {
        guard let objects = objects as? any ChildObjects else { throw .notConnected }
        let handedOver = try objects.childChanges(of: changes)
        try changes.watch?.checkCancelled()
        try parent.performAndWaitTyped { [inbox] parent throws(GraphError) in
            try ChildChangesReceiver(parent) { handedOver.newIDs[$0] ?? inbox.newID(of: $0) }
                .receive(handedOver)
        }
        return SaveResult(permanentIDs: IDReplacements(), rows: handedOver.rows)
    }

    func permanentIDs(
        for temporary: [ObjectID], assignments: [ObjectID: StoreNumber]
    ) throws(GraphError) -> [ObjectID] {
        try parent.performAndWaitTyped { [inbox] parent throws(GraphError) in
            let ids = temporary.map { inbox.newID(of: $0) ?? $0 }
            let all = assignments.merging(parent.assignmentsByID) { own, _ in own }
            let permanent = try parent.source.permanentIDs(for: ids, assignments: all)
            parent.remoteChanges.announceIDs(IDReplacements(ids, permanent))
            return permanent
        }
    }
}

extension ManagedObjectContext {
    /// Refreshes those objects that the context has with values from its own source. Unsaved changes are
    /// kept.
    ///
    /// - Returns: The IDs of the objects that no longer exist.
    fileprivate func refreshRealized(_ ids: [ObjectID]) throws(GraphError) -> Set<ObjectID> {
        let objects = ids.compactMap { identityMap[currentID($0)] }
            .filter { $0.row != nil && !$0.isInserted && !$0.isDeleted }
        var gone = Set(objects.map(\.objectID))
        guard !gone.isEmpty else { return [] }
        let batch = try source.freshRows(for: Array(gone))
        remoteChanges.readNewIDs()
        for row in batch.rows { gone.remove(currentID(row.id)) }
        remoteChanges.rebase(on: batch)
        return gone
    }
}
