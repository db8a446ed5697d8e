import CairnModel
import CairnRows

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
