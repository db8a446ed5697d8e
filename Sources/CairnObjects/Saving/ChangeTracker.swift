import CairnModel

/// The changed objects of a context. The tracker holds them, so that changes survive when the program
/// releases the objects.
final class ChangeTracker: ContextPart {
    /// The objects in the order in which they were first changed. Some may no longer have changes.
    private(set) var objects: ContiguousArray<ManagedObject> = []
    /// The objects that were deleted elsewhere while they had changes here.
    private var deletedElsewhere: Set<ObjectIdentifier> = []
    private var hasIdleObjects = false
    /// Whether objects may lead to other objects that do not lead back although the relationship has an
    /// inverse. This happens after a deletion, or after a primitive value was set.
    private(set) var mayHaveOneSidedLinks = false

    /// Notes that an object is about to change. Must be called before the change is made.
    func note(_ object: ManagedObject, _ change: ObjectState) {
        guard !object.state.isSuperset(of: [change, .tracked, .touched]) else { return }
        if object.state.contains(.awaking) { return }
        context.events.touch(object, for: change)
        if !object.state.contains(.tracked) { objects.append(object) }
        if change == .deleted {
            mayHaveOneSidedLinks = true
            object.change(object.allProperties) { object.state.formUnion([.deleted, .tracked]) }
        } else {
            object.state.formUnion([change, .tracked])
        }
    }

    /// Notes that only one end of a relationship is changed.
    func noteOneSidedLink() { mayHaveOneSidedLinks = true }

    /// Adds an object again whose changes were restored.
    func readd(_ object: ManagedObject) {
        guard object.state.insert(.tracked).inserted else { return }
        objects.append(object)
    }

    /// Notes that an object with changes was deleted elsewhere. It leaves the context when it has no more
    /// changes.
    func noteDeletedElsewhere(_ object: ManagedObject) {
        deletedElsewhere.insert(ObjectIdentifier(object))
    }

    /// Notes that a store has the object, even if it was reported as deleted before.
    func noteStored(_ object: ManagedObject) {
        guard !deletedElsewhere.isEmpty else { return }
        deletedElsewhere.remove(ObjectIdentifier(object))
    }

    /// Returns whether the object would be in no store without its changes: it is new, or was deleted
    /// elsewhere.
    func isGone(withoutChanges object: ManagedObject) -> Bool {
        object.isInserted || deletedElsewhere.contains(ObjectIdentifier(object))
    }

    /// The objects that were deleted elsewhere and are kept only because they have changes.
    var keptByChanges: [ManagedObject] {
        guard !deletedElsewhere.isEmpty else { return [] }
        return objects.filter { deletedElsewhere.contains(ObjectIdentifier($0)) }
    }

    /// Whether a save has something to do. Objects that were deleted before they were ever saved do not
    /// count.
    var hasChanges: Bool { objects.contains { $0.hasChanges && !$0.isAbandoned } }

    /// The new objects that are not deleted, in the order of their insertion.
    var inserted: [ManagedObject] {
        objects.filter { $0.isInserted && !$0.isDeleted }
    }
    /// The stored objects with changes.
    var updated: [ManagedObject] { objects.filter(\.isUpdated) }
    /// The stored objects to delete.
    var deleted: [ManagedObject] { objects.filter { $0.awaitsDeletion && !$0.isInserted } }
    /// The objects that leave the context with the next save: stored objects to delete, and new objects
    /// that were deleted.
    var leaving: [ManagedObject] { objects.filter(\.awaitsDeletion) }

    /// Notes that an object no longer has changes. It is released when the event ends: otherwise, undoing
    /// the changes of many objects would examine all objects for each of them.
    func noteIdle() { hasIdleObjects = true }

    /// Releases the objects without changes, if any were noted.
    func pruneIdle() {
        if hasIdleObjects { prune() }
    }

    /// Releases the objects without changes.
    func prune() {
        hasIdleObjects = false
        objects.removeAll { object in
            guard !object.hasChanges else { return false }
            object.state.remove(.tracked)
            deletedElsewhere.remove(ObjectIdentifier(object))
            return true
        }
    }

    /// Releases all objects, after their changes were saved or discarded.
    func removeAll() {
        for object in objects {
            object.state.subtract([.inserted, .updated, .tracked])
            // An object that already left keeps its state for as long as it is held.
            if !object.state.contains(.gone) { object.state.remove(.deleted) }
        }
        objects = []
        deletedElsewhere = []
        mayHaveOneSidedLinks = false
    }
}
