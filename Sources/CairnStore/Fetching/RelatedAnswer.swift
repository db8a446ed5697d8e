import CairnModel

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
