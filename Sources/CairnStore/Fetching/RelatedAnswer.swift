import CairnModel
import CairnRows

/// The answer to several ``RelatedQuestion`` values.
public struct RelatedAnswer: Sendable {
    /// The members that each question asks for, in the order of the questions.
    public var members: [RelatedIDs]
    /// The rows of members, for questions that include rows. They come in any order, each row once.
    ///
    /// An engine may leave rows out to keep the answer small. The coordinator reads missing rows
    /// with ``StoreSnapshot/rows(for:)``.
    public var rows: RowBatch

    /// Creates an answer. By default, it answers no questions.
    public init(members: [RelatedIDs] = [], rows: RowBatch = RowBatch()) {
        self.members = members
        self.rows = rows
    }
}
