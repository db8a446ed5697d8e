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

/// The answer to several ``RelatedQuestion``s.
public struct RelatedAnswer: Sendable {
    /// The members that each question asks for, in the order of the questions.
    public var members: [RelatedIDs]
    /// Rows of members of the questions that include rows, in any order, each row once.
    ///
    /// An engine may leave rows out, so that an answer stays small. The coordinator reads the rows
    /// that it lacks with ``StoreSnapshot/rows(for:)``.
    public var rows: RowBatch

    /// Creates an answer, by default to no questions.
    public init(members: [RelatedIDs] = [], rows: RowBatch = RowBatch()) {
        self.members = members
        self.rows = rows
    }
}
