import CairnStore

/// The outcome of a save, to be reported to objects and observers.
struct CompletedSave {
    /// The objects that were saved and still exist.
    let objects: [ManagedObject]
    /// The objects that the save deleted. They leave the context after their hook was called.
    let deleted: [ManagedObject]
    /// The objects that were deleted elsewhere and that the save did not store again.
    let unkept: [ManagedObject]
    /// The changes that merging, hooks and delete rules made during the save.
    let events: [EventChanges]
    let changes: SavedChanges
    /// The interruption, if the save has taken place but a store could not be written yet.
    let pending: InterruptedSave?
    /// The new objects that have the same unique values as existing objects.
    let upserts: [Upsert]
}
