import CairnStack

/// The objects of a change set for a parent context, which takes values instead of rows.
protocol ChildObjects: ChangedObjects {
    /// Returns the changes as values, without references to their context.
    ///
    /// - Throws: `.relationshipAcrossStores`, `.store`, `.objectGone`.
    func childChanges(of changes: ChangeSet) throws(GraphError) -> ChildChanges
}
