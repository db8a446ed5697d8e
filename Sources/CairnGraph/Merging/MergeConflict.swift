import CairnModel
import CairnStore

/// An object of a save that someone else changed or deleted since its context read it.
///
/// Says what the context would save, what it was changed from, and what is there now. Snapshots hold
/// attributes and the IDs of to-ones by name; to-manys are asked of the object.
public struct MergeConflict: Sendable {
    /// The object, which the context has.
    public let objectID: ObjectID
    /// Name of the object's own entity.
    public let entityName: String
    /// The version of the row that the object was read from. 0 if no row was read.
    public let oldVersion: Int64
    /// The version that is there now. 0 if the object was deleted.
    public let newVersion: Int64
    /// The values that the context would save. `nil` if it would delete the object.
    public let objectSnapshot: [String: Value]?
    /// The values that the object was read with. `nil` if no values were read.
    public let cachedSnapshot: [String: Value]?
    /// The values that are there now, in the store or in the parent context. `nil` if the object
    /// was deleted.
    public let persistedSnapshot: [String: Value]?

    /// What is there now.
    let stored: Row?
}

extension MergeConflict: CustomStringConvertible {
    /// The object and its versions. Never a value.
    public var description: String {
        let found = newVersion == 0 ? "was deleted" : "has version \(newVersion)"
        return "\(entityName) \(objectID) was read at version \(oldVersion) and \(found)"
    }
}
