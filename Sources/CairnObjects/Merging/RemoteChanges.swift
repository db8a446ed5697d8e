import CairnModel
import CairnRows
import CairnStack
import Foundation
import Synchronization

/// Applies events from outside a context: saves of other contexts, permanent IDs that objects received
/// in the parent context, and the removal of stores.
final class RemoteChanges: ContextPart {
    /// The events that the context has not read yet.
    let inbox: ContextInbox
    /// Called each time the save of another context cannot be merged.
    var failureHandler: ((GraphError) -> Void)?
    /// Whether the saves of other contexts are merged automatically.
    private(set) var areMergedAutomatically = false
    /// The stores that were removed from the coordinator during the context's lifetime.
    private var removedStores: Set<StoreNumber> = []

    init(_ inbox: ContextInbox) {
        self.inbox = inbox
    }

    /// Starts or stops merging the saves of other contexts as they arrive.
    func setMergesAutomatically(_ merges: Bool) {
        areMergedAutomatically = merges
        // A confined context reads its inbox when it is next used. Other threads must not hold it.
        let ring: @Sendable () -> Void =
            if context.queue.isConfined { {} } else { Alarm(context: context).ring }
        inbox.keepSaves(waking: merges ? ring : nil)
    }

    /// Schedules turns of a context for as long as the context exists.
    private final class Alarm: @unchecked Sendable {
        // Unchecked: outside the context's turns, only the weak reference is read, which is atomic. The
        // context that it refers to is only used through a handle, in a turn.
        private weak var context: ManagedObjectContext?

        init(context: ManagedObjectContext) {
            self.context = context
        }

        func ring() {
            guard let handle = context.map(ContextHandle.init) else { return }
            Task { try await handle.perform { $0.remoteChanges.read() } }
        }
    }

    // MARK: Reading the inbox

    /// Applies all events in the inbox. Does nothing during a save, because a save must not change after
    /// it has begun.
    @inline(__always) func read() {
        if inbox.isFilled.load(ordering: .acquiring) { readInbox() }
    }

    /// Not inlined, so that a turn without news needs a small stack frame.
    @inline(never) private func readInbox() {
        guard !context.events.isHeld else { return }
        readNewIDs()
        readRemovedStores()
        readReplacedStores()
        for changes in inbox.take(\.saves) {
            do {
                // The parent already has the changes that it reports. Asking it to read them from its
                // stores again would make every save that a child merges an event of the parent.
                try merge(changes, trustingParent: true)
            } catch {
                // The objects keep their values. Other values will cause an error when they are
                // requested.
                failureHandler?(error)
            }
        }
    }

    /// Applies permanent IDs that objects received in the parent context, and a new connection.
    func readNewIDs() {
        guard !inbox.isEmpty else { return }
        if inbox.take(\.isConnectionNew) { context.takeConnectionIn() }
        context.replacedIDs.replace(inbox.take(\.newIDs))
        Upserts(context).read(inbox.take(\.upserted))
    }

    /// Applies the removal of stores.
    func readRemovedStores() {
        let removed = inbox.take(\.removedStores)
        guard !removed.isEmpty else { return }
        removedStores.formUnion(removed)
        makeFaultsOfRemovedStores()
    }

    /// Reads rows again that refer to data outside of them, if their store was replaced. Each store has its
    /// own names for such data.
    private func readReplacedStores() {
        let replaced = inbox.take(\.replacedStores)
        guard !replaced.isEmpty else { return }
        let objects = context.identityMap.objects.filter { object in
            replaced.contains(object.objectID.store) && object.row != nil
                && object.kind.layout.slots.contains { $0.kind == .externalBinary }
        }
        guard !objects.isEmpty else { return }
        do {
            for row in try context.source.freshRows(for: objects.map(\.objectID)).rows {
                context.identityMap[row.id]?.rebase(on: row)
            }
        } catch {
            // The objects keep their rows. An error is thrown when the data is read.
            failureHandler?(error)
        }
    }

    /// Turns the objects of removed stores into faults. Firing such a fault throws `.unknownStore`.
    /// Objects with changes keep their values, so that the changes can be saved if the store is added
    /// again.
    func makeFaultsOfRemovedStores() {
        guard !removedStores.isEmpty else { return }
        for object in context.identityMap.objects
        where removedStores.contains(object.objectID.store) {
            if object.isFault || object.hasChanges || object.isInserted { continue }
            context.events.noteInvalidated(object)
            object.turnIntoFault(keepingChanges: false)
        }
    }

    /// Applies the new IDs of objects in this context and in all of its children.
    func announceIDs(_ newIDs: IDReplacements) {
        guard !newIDs.isEmpty else { return }
        context.replacedIDs.replace(newIDs)
        inbox.children.forEach { $0.tell(newIDs: newIDs) }
    }

    // MARK: Merging the saves of other contexts

    /// Merges changes of others as part of the current event.
    ///
    /// - Parameter trustingParent: Whether the parent context is known to have the changes already.
    func merge(_ changes: ObjectIDChanges, trustingParent: Bool = false) throws(GraphError) {
        context.reading.advance()
        var merged = ObjectIDChanges()
        merged.inserted = changes.inserted
        let arrivals = changes.inserted.subtracting(changes.deleted)
            .filter { context.identityMap[context.currentID($0)] == nil }
        context.events.noteMerged(MergedChanges(changes, arrivals: arrivals))
        // An object that is reported as inserted may be registered here if its deletion was undone
        // elsewhere.
        let touched = changes.updated.union(changes.refreshed).union(changes.invalidated)
            .union(changes.inserted)
        let objects = touched.subtracting(changes.deleted)
            .compactMap { context.identityMap[context.currentID($0)] }.filter { !$0.isInserted }
        let gone = try bringUpToDate(objects, trustingParent: trustingParent)
        merged.refreshed = Set(objects.map(\.objectID))
        merged.updated = merged.refreshed.subtracting(changes.inserted)
        let deleted = changes.deleted.compactMap { context.identityMap[context.currentID($0)] }
        for object in gone + deleted {
            merged.updated.remove(object.objectID)
            merged.refreshed.remove(object.objectID)
            merged.deleted.insert(object.objectID)
            mergeDeletion(of: object)
        }
        inbox.children.forEach { $0.tell(saved: changes) }
        context.observers.announceMerge(merged)
    }

    /// Fetches the values of objects that have values. Faults fetch their values when they are fired.
    ///
    /// - Returns: The objects that no longer exist.
    private func bringUpToDate(
        _ objects: [ManagedObject], trustingParent: Bool
    ) throws(GraphError) -> [ManagedObject] {
        for object in objects {
            context.events.noteRefreshed(object)
            object.forgetStoredMembers()
        }
        let realized = objects.filter { $0.row != nil }
        guard !realized.isEmpty else { return [] }
        let (ids, source) = (realized.map(\.objectID), context.source)
        let isInParent = trustingParent && source.holdsUnsavedObjects
        let batch = isInParent ? try source.rows(for: ids) : try source.freshRows(for: ids)
        readNewIDs()
        let found = Set(try update(from: batch).map(ObjectIdentifier.init))
        for object in realized where found.contains(ObjectIdentifier(object)) {
            context.tracker.noteStored(object)
        }
        return realized.filter { !found.contains(ObjectIdentifier($0)) }
    }

    /// Does the same as ``rebase(on:)``. In addition, takes back deletions that delete rules caused, but do not
    /// cause any more, because others moved the objects.
    ///
    /// - Throws: `.store`, `.objectGone`.
    @discardableResult func update(from batch: RowBatch) throws(GraphError) -> [ManagedObject] {
        let objects = rebase(on: batch)
        if objects.contains(where: { $0.isDeletedByRule && $0.awaitsDeletion }) {
            // Nothing of this is restored later, because no save is under way that could fail.
            try ConflictResolver(context, recordingIn: ResolutionRecord())
                .takeBackUnreachedDeletions()
        }
        return objects
    }

    /// Replaces the stored values of objects by newer rows and keeps unsaved changes on top of them.
    /// Calls the objects' hooks after all objects have their values.
    ///
    /// - Returns: The objects.
    @discardableResult func rebase(on batch: RowBatch) -> [ManagedObject] {
        let objects = batch.rows.compactMap { row -> ManagedObject? in
            guard let object = context.identityMap[context.currentID(row.id)] else { return nil }
            context.events.noteRefreshed(object)
            object.rebase(on: row)
            return object
        }
        let links = LinkEditor(context)
        for object in objects {
            do {
                try links.releaseStoredPartners(of: object)
            } catch {
                context.report(error, of: object)
            }
        }
        for object in objects { object.awakeFromSnapshotEvents(.refresh) }
        return objects
    }

    /// Removes objects that were deleted elsewhere and were only kept because of changes that they no
    /// longer have.
    func removeUnkeptObjects() {
        for object in context.tracker.keptByChanges where !object.hasChanges {
            mergeDeletion(of: object)
        }
    }

    /// Removes an object that was deleted elsewhere, and makes sure that relationships to it are fetched
    /// again. Objects with unsaved changes are kept.
    func mergeDeletion(of object: ManagedObject) {
        guard object.owner === context else { return }
        object.forgetMembersElsewhere()
        guard !object.hasChanges || object.isDeleted else {
            return context.tracker.noteDeletedElsewhere(object)
        }
        context.events.touchIfNeeded(object)
        context.detach(object, isDeleted: true, isElsewhere: true)
        context.tracker.noteIdle()
    }
}

/// The changes that one event merged from the saves of other contexts.
package struct MergedChanges {
    /// All objects that others inserted, updated or deleted. Includes objects that the context does not
    /// have, because fetches may now find them.
    package private(set) var all: Set<ObjectID>
    /// Objects that others inserted and that the context did not have.
    private(set) var arrivals: Set<ObjectID>

    init(_ changes: ObjectIDChanges, arrivals: Set<ObjectID>) {
        all = changes.inserted.union(changes.updated).union(changes.deleted)
        self.arrivals = arrivals
    }

    /// Adds the changes of a later merge in the same event.
    mutating func formUnion(_ later: MergedChanges) {
        arrivals.subtract(later.all)
        arrivals.formUnion(later.arrivals)
        all.formUnion(later.all)
    }
}
