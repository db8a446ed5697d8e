import CairnModel
import CairnRows

/// A group of objects with equal values that must be unique.
public struct UniquenessConflict: Sendable {
    /// The name of the entity that declares the constraint.
    public var entity: String
    /// The names of the properties whose combination of values must be unique.
    public var constraint: [String]
    /// The objects in the request that have the same values.
    public var requested: [ObjectID]
    /// The row in the store that already has the values, or `nil` if only objects of the request
    /// conflict.
    public var stored: Row?

    /// Creates a conflict for an engine's `prepare` to report. Pass the row that the transaction
    /// found.
    public init(entity: String, constraint: [String], requested: [ObjectID], stored: Row?) {
        self.entity = entity
        self.constraint = constraint
        self.requested = requested
        self.stored = stored
    }
}

extension UniquenessConflict: CustomStringConvertible {
    /// The constraint, the objects that have equal values, and the object that they conflict with.
    /// Does not contain the values.
    public var description: String {
        let objects = requested.map(\.description).joined(separator: ", ")
        let clash =
            stored.map { "the same values as the stored object \($0.id)" } ?? "the same values"
        let verb = requested.count == 1 ? "has" : "have"
        return "\(entity) (\(constraint.joined(separator: ", "))): \(objects) \(verb) \(clash)"
    }
}
