import CairnModel
import CairnStack

/// The changes of one event or one save, as objects, for use in the context's own turn.
///
/// An object that was both inserted and deleted is in none of the lists.
package struct EventChanges {
    /// New objects, and objects whose deletion was undone.
    package private(set) var inserted: [ManagedObject] = []
    /// Objects with changed values or relationships.
    package private(set) var updated: [ManagedObject] = []
    /// Deleted objects, and objects whose insertion was undone.
    package private(set) var deleted: [ManagedObject] = []
    /// Objects whose values were replaced by those of their store, or will be when they are next read.
    package private(set) var refreshed: [ManagedObject] = []
    /// Objects that lost their values. Their stores may no longer contain them.
    package private(set) var invalidated: [ManagedObject] = []
    /// The IDs that objects had before a save moved them to another store. They are also in ``updated``.
    package private(set) var formerIDs: [ManagedObject: ObjectID] = [:]
    /// The changes that were merged from saves of other contexts. `nil` if nothing was merged.
    package private(set) var merged: MergedChanges?
    /// Whether the context removed all of its objects.
    package private(set) var invalidatesAll = false

    init(invalidatesAll: Bool) {
        self.invalidatesAll = invalidatesAll
    }

    /// Creates the changes of the current event.
    init(_ journal: MutationJournal) {
        var seen: Set<ObjectIdentifier> = []
        refreshed = journal.refreshed.filter { seen.insert(ObjectIdentifier($0)).inserted }
        invalidated = Array(journal.invalidated)
        merged = journal.merged
        for touch in journal.touches {
            switch (touch.state.staysInContext, touch.object.state.staysInContext) {
            case (false, true): inserted.append(touch.object)
            case (true, false): deleted.append(touch.object)
            case (true, true):
                if !seen.contains(ObjectIdentifier(touch.object)) { updated.append(touch.object) }
            case (false, false): break
            }
        }
    }

    /// Collects the changes that a save is about to write.
    init(_ tracker: ChangeTracker, moving moved: [ManagedObject]) {
        inserted = tracker.inserted
        updated = tracker.updated
        deleted = tracker.deleted
        for object in moved { formerIDs[object] = object.objectID }
    }

    /// Whether there is nothing to report.
    var isEmpty: Bool { hasNoObjects && merged == nil }

    /// Whether there is nothing to report about objects of the context. A merge may have changed none of
    /// them.
    var hasNoObjects: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
            && invalidated.isEmpty && !invalidatesAll && merged?.arrivals.isEmpty != false
    }
}

extension ObjectIDChanges {
    init(_ changes: EventChanges) {
        self.init()
        inserted = Set(changes.inserted.lazy.map(\.objectID))
        if let merged = changes.merged { inserted.formUnion(merged.arrivals) }
        updated = Set(changes.updated.lazy.map(\.objectID))
        deleted = Set(changes.deleted.lazy.map(\.objectID))
        // Elsewhere, an object that moved is deleted in one store and inserted in another one.
        for (object, formerID) in changes.formerIDs {
            deleted.insert(formerID)
            inserted.insert(object.objectID)
            updated.remove(object.objectID)
        }
        refreshed = Set(changes.refreshed.lazy.map(\.objectID))
        invalidated = Set(changes.invalidated.lazy.map(\.objectID))
        invalidatesAll = changes.invalidatesAll
    }
}
