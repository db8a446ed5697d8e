import CairnModel
import CairnStack

/// The members of a to-many relationship, for any class of members.
protocol RelationshipMembers {
    /// Returns the current members as a list.
    ///
    /// - Throws: `.store`.
    func expression() throws(GraphError) -> FetchExpression
}
