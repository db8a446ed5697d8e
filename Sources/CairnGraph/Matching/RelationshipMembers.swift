import CairnModel

/// The members of a to-many of any class.
protocol RelationshipMembers {
    /// Returns the members at this moment as a list.
    ///
    /// - Throws: `.store`.
    func expression() throws(GraphError) -> FetchExpression
}
