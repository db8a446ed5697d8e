import CairnModel

/// A to-many relationship, and the owners whose members are asked for.
public struct RelatedQuestion: Sendable {
    /// The relationship, which must be to-many and persistent.
    public var relationship: Relationship
    /// The objects whose members are asked for, as in ``StoreSnapshot/relatedIDs(_:of:)``.
    public var owners: [ObjectID]
    /// Whether the answer should also contain the members' rows.
    public var includesRows: Bool

    /// Creates a question. By default, it asks only for the members' IDs.
    package init(_ relationship: Relationship, of owners: [ObjectID], includesRows: Bool = false) {
        self.relationship = relationship
        self.owners = owners
        self.includesRows = includesRows
    }
}
