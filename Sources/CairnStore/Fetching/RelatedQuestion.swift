import CairnModel

/// A to-many relationship and the owners whose members are asked for.
public struct RelatedQuestion: Sendable {
    /// To-many and persistent.
    public var relationship: Relationship
    /// The objects whose members are asked for, as in ``StoreSnapshot/relatedIDs(_:of:)``.
    public var owners: [ObjectID]
    /// Whether the rows of the members are asked for too.
    public var includesRows: Bool

    /// Asks for the members' IDs alone, unless told otherwise.
    public init(_ relationship: Relationship, of owners: [ObjectID], includesRows: Bool = false) {
        self.relationship = relationship
        self.owners = owners
        self.includesRows = includesRows
    }
}
