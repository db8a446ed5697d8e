import CairnModel

/// A new object that shares unique values with a stored one, or with another new one, and what became
/// of it when a conflict was resolved.
struct Upsert {
    /// The new object.
    let object: ManagedObject
    /// The ID that it had.
    let formerID: ObjectID
    /// The IDs under which undo may have recorded the insertion. Empty if there is no undo manager.
    let recordedIDs: [ObjectID]
    /// The object that has the values: the new one itself, if it became the stored one.
    let winner: ManagedObject
}
