import CairnModel
import CairnRows

/// An object of a save that someone else changed or deleted since the context read it.
///
/// Contains the values that the context would save, the values that they were changed from, and the
/// values that are now stored. Snapshots contain attributes and the IDs of to-one relationships, by
/// name. To-many relationships can be read from the object.
public struct MergeConflict: Sendable {
    /// The ID of the object. The object is registered in the context.
    public let objectID: ObjectID
    /// The name of the object's own entity.
    public let entityName: String
    /// The version of the row that the object was read from. 0 if no row was read.
    public let oldVersion: Int64
    /// The version that is stored now. 0 if the object was deleted.
    public let newVersion: Int64
    /// The values that the context would save. `nil` if it would delete the object.
    public let objectSnapshot: [String: Value]?
    /// The values that the object was read with. `nil` if no values were read.
    public let cachedSnapshot: [String: Value]?
    /// The values that are now in the store or in the parent context. `nil` if the object was deleted.
    public let persistedSnapshot: [String: Value]?

    /// The row that is stored now. `nil` if the object was deleted.
    package let stored: Row?

    package init(
        objectID: ObjectID, entityName: String, oldVersion: Int64, newVersion: Int64,
        objectSnapshot: [String: Value]?, cachedSnapshot: [String: Value]?,
        persistedSnapshot: [String: Value]?, stored: Row?
    ) {
        self.objectID = objectID
        self.entityName = entityName
        self.oldVersion = oldVersion
        self.newVersion = newVersion
        self.objectSnapshot = objectSnapshot
        self.cachedSnapshot = cachedSnapshot
        self.persistedSnapshot = persistedSnapshot
        self.stored = stored
    }
}

extension MergeConflict: CustomStringConvertible {
    /// The object and its versions. Never contains values.
    public var description: String {
        let found = newVersion == 0 ? "has since been deleted" : "now has version \(newVersion)"
        return "\(entityName) \(objectID) was read at version \(oldVersion) and \(found)"
    }
}

/// A conflict between objects with the same values of properties that the model declares as unique.
public struct ConstraintConflict: Sendable {
    /// The name of the entity that declares the constraint.
    public let entityName: String
    /// The names of the properties whose combined values must be unique.
    public let constraint: [String]
    /// The conflicting values, by name.
    public let constraintValues: [String: Value]
    /// The stored object that already has the values. `nil` if only objects of the save conflict.
    public let databaseObject: ObjectID?
    /// The stored values of ``databaseObject``.
    public let databaseSnapshot: [String: Value]?
    /// The objects of the save that have the values, in the order in which they were inserted or
    /// changed.
    public let conflictingObjects: [ObjectID]
    /// The values that these objects would be saved with, in the same order.
    public let conflictingSnapshots: [[String: Value]]

    /// The row of ``databaseObject``.
    package let stored: Row?

    package init(
        entityName: String, constraint: [String], constraintValues: [String: Value],
        databaseObject: ObjectID?, databaseSnapshot: [String: Value]?,
        conflictingObjects: [ObjectID], conflictingSnapshots: [[String: Value]], stored: Row?
    ) {
        self.entityName = entityName
        self.constraint = constraint
        self.constraintValues = constraintValues
        self.databaseObject = databaseObject
        self.databaseSnapshot = databaseSnapshot
        self.conflictingObjects = conflictingObjects
        self.conflictingSnapshots = conflictingSnapshots
        self.stored = stored
    }
}

extension ConstraintConflict: CustomStringConvertible {
    /// The constraint and the objects. Never contains values.
    public var description: String {
        let objects = (databaseObject.map { [$0] } ?? []) + conflictingObjects
        return
            "\(entityName).\(constraint.joined(separator: "+")) must be unique but is the same in "
            + objects.map(\.description).joined(separator: ", ")
    }
}
