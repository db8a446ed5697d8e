import CairnModel
import CairnStack

/// The changes that a save wrote, as objects, for use in the context's own turn.
///
/// The objects have their permanent IDs. The deleted objects no longer belong to a context.
package struct SavedChanges {
    package let inserted: [ManagedObject]
    package let updated: [ManagedObject]
    package let deleted: [ManagedObject]

    /// Collects the changes that a save is about to write.
    init(_ tracker: ChangeTracker) {
        inserted = tracker.inserted
        updated = tracker.updated
        deleted = tracker.deleted
    }
}

extension ObjectIDChanges {
    init(_ changes: SavedChanges) {
        self.init()
        inserted = Set(changes.inserted.lazy.map(\.objectID))
        updated = Set(changes.updated.lazy.map(\.objectID))
        deleted = Set(changes.deleted.lazy.map(\.objectID))
    }
}
