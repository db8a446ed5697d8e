import CairnModel
import CairnStore

/// The objects of a change set, with their values: as rows for stores, or as values for a parent context.
package protocol ChangedObjects {
    /// Adds the row of one object to the writer. The source calls this when it knows the key, so a row is
    /// packed once.
    ///
    /// - Parameters:
    ///   - id: of an inserted or updated object of the change set.
    ///   - key: the row's key.
    ///   - version: the row's version.
    ///   - permanent: turns the temporary ID of a to-one's destination into its permanent one. Call
    ///     it for every destination, also for one with a permanent ID: it notes those in other stores.
    func pack(
        _ id: ObjectID, key: Int64, version: Int64, into writer: inout RowWriter,
        resolving permanent: (ObjectID) -> ObjectID
    ) throws(GraphError)

    /// Returns the changes as values, with nothing of their context in them.
    ///
    /// - Throws: `.relationshipAcrossStores`, `.store`, `.objectGone`.
    func handedChanges(of changes: ChangeSet) throws(GraphError) -> HandedChanges
}
