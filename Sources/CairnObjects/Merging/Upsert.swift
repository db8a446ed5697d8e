import CairnModel

/// The resolution of a conflict between a new object and a stored object or another new object with the
/// same unique values.
struct Upsert {
    /// The new object.
    let object: ManagedObject
    /// The ID of the new object before the resolution.
    let formerID: ObjectID
    /// The IDs under which undo may have recorded the insertion. Empty if there is no undo manager.
    let recordedIDs: [ObjectID]
    /// The object that keeps the unique values. This is the new object itself if it became the stored
    /// object.
    let winner: ManagedObject
}
