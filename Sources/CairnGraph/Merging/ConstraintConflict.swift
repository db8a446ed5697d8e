import CairnModel
import CairnStore

/// Objects that would share values which the model says occur once.
public struct ConstraintConflict: Sendable {
    /// Name of the entity that declares the constraint.
    public let entityName: String
    /// Names of the properties whose combined values must occur once.
    public let constraint: [String]
    /// The values in question, by name.
    public let constraintValues: [String: Value]
    /// The stored object that has the values already. `nil` if only objects of the save clash.
    public let databaseObject: ObjectID?
    /// The stored values of that object.
    public let databaseSnapshot: [String: Value]?
    /// The objects of the save that have the values, in the order of their insertion or change.
    public let conflictingObjects: [ObjectID]
    /// The values that the save would give them, in the same order.
    public let conflictingSnapshots: [[String: Value]]

    /// The row of ``databaseObject``.
    let stored: Row?
}

extension ConstraintConflict: CustomStringConvertible {
    /// The constraint and the objects. Never a value.
    public var description: String {
        let objects = (databaseObject.map { [$0] } ?? []) + conflictingObjects
        return "\(entityName).\(constraint.joined(separator: "+")) is the same in "
            + objects.map(\.description).joined(separator: ", ")
    }
}
