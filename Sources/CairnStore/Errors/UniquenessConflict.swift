import CairnModel

/// Objects that would share values that must be unique.
public struct UniquenessConflict: Sendable {
    /// Name of the entity that declares the constraint.
    public var entity: String
    /// Names of the properties whose combined values must occur once.
    public var constraint: [String]
    /// Objects of the request that share the values.
    public var requested: [ObjectID]
    /// The row in the store that has them already. `nil` if only the request's objects clash.
    public var stored: Row?

    /// Reported by an engine's `prepare`, with the row of the transaction that found it.
    public init(entity: String, constraint: [String], requested: [ObjectID], stored: Row?) {
        self.entity = entity
        self.constraint = constraint
        self.requested = requested
        self.stored = stored
    }
}

extension UniquenessConflict: CustomStringConvertible {
    /// The constraint, the objects that share its values, and whom they clash with. Never the
    /// values.
    public var description: String {
        let objects = requested.map(\.description).joined(separator: ", ")
        let clash = stored.map { "with \($0.id)" } ?? "with each other"
        return "\(entity) (\(constraint.joined(separator: ", "))): \(objects) \(clash)"
    }
}
