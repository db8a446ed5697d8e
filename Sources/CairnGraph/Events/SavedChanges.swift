import CairnModel

/// What a save wrote, by objects: for the context's own turn.
///
/// The objects have their permanent IDs; those that were deleted have no context any more.
struct SavedChanges {
    let inserted: [ManagedObject]
    let updated: [ManagedObject]
    let deleted: [ManagedObject]

    /// Reads what a save is about to write.
    init(_ tracker: ChangeTracker) {
        inserted = tracker.inserted
        updated = tracker.updated
        deleted = tracker.deleted
    }
}
