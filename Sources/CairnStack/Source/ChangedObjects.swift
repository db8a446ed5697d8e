import CairnModel
import CairnRows

/// The objects of a change set with their values, as rows for stores.
package protocol ChangedObjects {
    /// Adds the row of one object to the writer. The source calls this when it knows the key, so that
    /// each row is packed only once.
    ///
    /// - Parameters:
    ///   - id: The ID of an inserted or updated object of the change set.
    ///   - key: The row's key.
    ///   - version: The row's version.
    ///   - permanent: Returns the permanent ID for the ID of a to-one relationship's destination. It must
    ///     be called for every destination, even if its ID is permanent, because it also records
    ///     destinations in other stores.
    func pack(
        _ id: ObjectID, key: Int64, version: Int64, into writer: inout RowWriter,
        resolving permanent: (ObjectID) -> ObjectID
    ) throws(GraphError)
}
