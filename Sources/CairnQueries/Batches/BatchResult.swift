import CairnModel
import CairnStack

/// The result of a batch request.
public struct BatchResult: Sendable {
    /// What ``result`` contains, as the request asked.
    public let resultType: BatchResultType
    /// The number of objects that the request inserted, changed or deleted. Counts those that cascade rules deleted,
    /// but neither those that lost a destination nor those that had the new values already.
    public let count: Int
    let inserted: [ObjectID]
    let updated: [ObjectID]
    let deleted: [ObjectID]

    /// The IDs of all objects that were inserted, changed or deleted, also because of delete rules. Pass it to
    /// ``CairnObjects/ManagedObjectContext/mergeChanges(_:)`` of contexts that have such objects. Empty unless the
    /// request asked for IDs. The sets are made each time.
    public var changes: ObjectIDChanges {
        var changes = ObjectIDChanges()
        changes.inserted = Set(inserted)
        changes.updated = Set(updated)
        changes.deleted = Set(deleted)
        return changes
    }

    /// The IDs of the objects that ``count`` counts, 16 bytes each. Empty unless the request asked for IDs.
    public var objectIDs: [ObjectID] { deleted.isEmpty ? inserted + updated : deleted }

    /// `true`, ``objectIDs`` or ``count``, as Core Data returns it.
    public var result: Any? {
        switch resultType {
        case .statusOnly: true
        case .objectIDs: objectIDs
        case .count: count
        }
    }
}

/// What the result of a batch request contains. The raw values are Core Data's.
public enum BatchResultType: Int, Sendable {
    /// Only that the request was executed.
    case statusOnly = 0
    /// The IDs of the objects.
    case objectIDs
    /// The number of objects.
    case count
}
