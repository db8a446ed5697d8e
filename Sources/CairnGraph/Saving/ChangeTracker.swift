import CairnModel

/// The objects of a context that have changes. Holds them, so that changes outlive their holders.
final class ChangeTracker: ContextPart {
    /// In the order in which they were first changed; some may have lost their changes again.
    private(set) var objects: ContiguousArray<ManagedObject> = []
    /// Objects that were deleted elsewhere while they had changes here.
    private var deletedElsewhere: Set<ObjectIdentifier> = []
    private var hasIdleObjects = false
    /// Whether objects may lead to others that do not lead back, though the relationship has an inverse:
    /// after a deletion, or after a primitive value was set.
    private(set) var mayHaveOneSidedLinks = false

    /// Notes that an object gets a change of that kind. To be called before it is made.
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

    /// Notes that one end of a relationship is changed, and the other one is not.
    func noteOneSidedLink() { mayHaveOneSidedLinks = true }

    /// Holds an object again that had changes, and has them again.
    func readd(_ object: ManagedObject) {
        guard object.state.insert(.tracked).inserted else { return }
        objects.append(object)
    }

    /// Notes that an object with changes was deleted elsewhere: it goes when its changes do.
    func noteDeletedElsewhere(_ object: ManagedObject) {
        deletedElsewhere.insert(ObjectIdentifier(object))
    }

    /// Notes that a store has the object, whatever was told before.
    func noteStored(_ object: ManagedObject) {
        guard !deletedElsewhere.isEmpty else { return }
        deletedElsewhere.remove(ObjectIdentifier(object))
    }

    /// Whether no store would have the object if its changes were taken back: it is new, or was deleted
    /// elsewhere.
    func isGone(withoutChanges object: ManagedObject) -> Bool {
        object.isInserted || deletedElsewhere.contains(ObjectIdentifier(object))
    }

    /// Objects that were deleted elsewhere, and that only their changes keep here.
    var keptByChanges: [ManagedObject] {
        guard !deletedElsewhere.isEmpty else { return [] }
        return objects.filter { deletedElsewhere.contains(ObjectIdentifier($0)) }
    }

    /// Whether a save has something to do. An object that was deleted before it was ever saved does not
    /// count.
    var hasChanges: Bool { objects.contains { $0.hasChanges && !$0.isAbandoned } }

    /// Objects no store has yet, and that are to stay, in the order of their insertion.
    var inserted: [ManagedObject] {
        objects.filter { $0.isInserted && !$0.isDeleted }
    }
    /// Stored objects with changes.
    var updated: [ManagedObject] { objects.filter(\.isUpdated) }
    /// Stored objects to delete.
    var deleted: [ManagedObject] { objects.filter { $0.awaitsDeletion && !$0.isInserted } }
    /// Objects that leave with the next save: stored ones to delete, and new ones that were deleted.
    var leaving: [ManagedObject] { objects.filter(\.awaitsDeletion) }

    /// Notes that some object has no changes any more. The tracker lets go of it when the event ends, because
    /// taking back the changes of many objects would otherwise look at all objects for each of them.
    func noteIdle() { hasIdleObjects = true }

    /// Lets go of the objects that are noted to have no changes any more.
    func pruneIdle() {
        if hasIdleObjects { prune() }
    }

    /// Lets go of the objects that have no changes any more.
    func prune() {
        hasIdleObjects = false
        objects.removeAll { object in
            guard !object.hasChanges else { return false }
            object.state.remove(.tracked)
            deletedElsewhere.remove(ObjectIdentifier(object))
            return true
        }
    }

    /// Lets go of all objects, whose changes are saved or forgotten.
    func removeAll() {
        for object in objects {
            object.state.subtract([.inserted, .updated, .tracked])
            // One that left before says so as long as it is held.
            if !object.state.contains(.gone) { object.state.remove(.deleted) }
        }
        objects = []
        deletedElsewhere = []
        mayHaveOneSidedLinks = false
    }
}
