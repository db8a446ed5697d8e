import CairnModel
import CairnStore

/// Packs the current values of a context's objects into rows.
package protocol RowPacking: AnyObject {
    /// Adds one row to the writer.
    ///
    /// - Parameters:
    ///   - id: of an object in the change set.
    ///   - key: the row's key; `version`: the row's version.
    ///   - permanent: turns the temporary ID of a to-one's destination into its permanent one. To
    ///     be called for every destination, of permanent ID too: it notes those in other stores.
    func pack(
        _ id: ObjectID, key: Int64, version: Int64, into writer: inout RowWriter,
        resolving permanent: (ObjectID) -> ObjectID
    ) throws(GraphError)
}
