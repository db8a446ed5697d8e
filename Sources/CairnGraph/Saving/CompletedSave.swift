import CairnStore

/// What a save did, to be told to objects and observers.
struct CompletedSave {
    /// The objects that were saved and are still there.
    let objects: [ManagedObject]
    /// The objects that the save deleted. The context lets go of them after their hook was called.
    let deleted: [ManagedObject]
    /// Objects that were deleted elsewhere, and had no change that was stored.
    let unkept: [ManagedObject]
    /// What merging, hooks and delete rules changed during the save.
    let events: [EventChanges]
    let changes: SavedChanges
    /// Set if the save has taken place and a store could not be written yet.
    let pending: InterruptedSave?
    /// New objects that share unique values with others.
    let upserts: [Upsert]
}
