import CairnModel
import CairnStore
import Foundation

/// Takes in what happened outside of a context: saves of others, permanent IDs that objects got in the
/// parent context, and stores that were removed.
final class RemoteChanges: ContextPart {
    /// What the context has to know of others and has not read yet.
    let inbox: ContextInbox
    /// Told each time a save of others cannot be merged.
    var failureHandler: ((GraphError) -> Void)?
    /// Whether saves of others are merged without being asked to.
    private(set) var areMergedAutomatically = false
    /// The stores that were removed from the coordinator while the context was there.
    private var removedStores: Set<StoreNumber> = []

    init(_ inbox: ContextInbox) {
        self.inbox = inbox
    }

    /// Begins or ends merging saves of others as they arrive.
    func setMergesAutomatically(_ merges: Bool) {
        areMergedAutomatically = merges
        inbox.keepSaves(waking: merges ? Alarm(context: context).ring : nil)
    }

    /// Asks for a turn of a context, for as long as there is one.
    private final class Alarm: @unchecked Sendable {
        // Unchecked: only a weak reference is read outside of the context's turns, which is atomic;
        // what it gives goes into a handle, and so into a turn.
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

    /// Takes in everything that has arrived. During a save nothing is taken in, because the save has begun
    /// with what there was.
    @inline(__always) func read() {
        if !inbox.isEmpty { readInbox() }
    }

    private func readInbox() {
        guard !context.events.isHeld else { return }
        readNewIDs()
        readRemovedStores()
        for changes in inbox.takeSaves() {
            do throws(GraphError) {
                // What a parent tells of, it has: asking it to look into its stores again would make
                // every save that a child merges an event of the parent.
                try merge(changes, trustingParent: true)
            } catch {
                // The objects keep the values that they have; asking for others will tell.
                failureHandler?(error)
            }
        }
    }

    /// Takes in permanent IDs that objects got in the parent context, and a source that was set.
    func readNewIDs() {
        guard !inbox.isEmpty else { return }
        if inbox.takeConnection() { context.takeConnectionIn() }
        context.replacedIDs.replace(inbox.takeNewIDs())
        Upserts(context).read(inbox.takeUpserted())
    }

    /// Takes in that stores were removed.
    func readRemovedStores() {
        let removed = inbox.takeRemovedStores()
        guard !removed.isEmpty else { return }
        removedStores.formUnion(removed)
        makeFaultsOfRemovedStores()
    }

    /// Makes the objects of removed stores faults: firing one throws `.unknownStore`. Objects with changes
    /// keep their values, so that the changes can be saved if the store is added again.
    func makeFaultsOfRemovedStores() {
        guard !removedStores.isEmpty else { return }
        for object in context.identityMap.objects
        where removedStores.contains(object.objectID.store) {
            if object.isFault || object.hasChanges || object.isInserted { continue }
            context.events.noteInvalidated(object)
            object.turnIntoFault(keepingChanges: false)
        }
    }

    /// Notes the new IDs of objects here and in every child.
    func announceIDs(_ newIDs: IDReplacements) {
        guard !newIDs.isEmpty else { return }
        context.replacedIDs.replace(newIDs)
        inbox.children.forEach { $0.tell(newIDs: newIDs) }
    }

    // MARK: Merging saves of others

    /// Takes changes of others in, as part of the current event.
    ///
    /// - Parameter trustingParent: whether a parent context is known to have the changes already.
    func merge(
        _ changes: ObjectIDChanges, trustingParent: Bool = false
    ) throws(GraphError) {
        context.reading.advance()
        var merged = ObjectIDChanges()
        merged.inserted = changes.inserted
        let arrivals = changes.inserted.subtracting(changes.deleted)
            .filter { context.identityMap[context.currentID($0)] == nil }
        context.events.noteMerged(MergedChanges(changes, arrivals: arrivals))
        // An object that is told as new is known here if its deletion was taken back elsewhere.
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

    /// Fetches the values of objects that have some. Faults fetch theirs when they are fired.
    ///
    /// - Returns: the objects that are gone.
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
        let found = Set(rebase(on: batch).map(ObjectIdentifier.init))
        for object in realized where found.contains(ObjectIdentifier(object)) {
            context.tracker.noteStored(object)
        }
        return realized.filter { !found.contains(ObjectIdentifier($0)) }
    }

    /// Takes newer rows as the stored values of their objects, keeps unsaved changes on top of them,
    /// and tells the objects when all have their values.
    ///
    /// - Returns: the objects.
    @discardableResult func rebase(on batch: RowBatch) -> [ManagedObject] {
        let objects = batch.rows.compactMap { row -> ManagedObject? in
            guard let object = context.identityMap[context.currentID(row.id)] else { return nil }
            context.events.noteRefreshed(object)
            object.rebase(on: row)
            return object
        }
        for object in objects { object.awakeFromSnapshotEvents(.refresh) }
        return objects
    }

    /// Lets go of objects that were deleted elsewhere, if the changes that kept them are no more.
    func letGoOfUnkeptObjects() {
        for object in context.tracker.keptByChanges where !object.hasChanges {
            mergeDeletion(of: object)
        }
    }

    /// Lets go of an object that was deleted elsewhere, and has relationships that led to it fetched
    /// again. An object with unsaved changes stays.
    func mergeDeletion(of object: ManagedObject) {
        guard object.owner === context else { return }
        object.forgetMembersElsewhere()
        guard !object.hasChanges || object.isDeleted else {
            return context.tracker.noteDeletedElsewhere(object)
        }
        context.events.touchIfNeeded(object)
        context.letGo(of: object, isDeleted: true)
        context.tracker.noteIdle()
    }
}
