import CairnModel
import Foundation

/// One consistent state of a store: later saves, of other processes too, do not show.
///
/// A snapshot may hold a read transaction, so it is kept no longer than needed.
public protocol StoreSnapshot: AnyObject, Sendable {
    /// Which state this is.
    var generation: StoreGeneration { get }

    /// Whether no one else can save while the snapshot is held. The default implementation returns
    /// `false`.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.busy`, `.engineFailure`.
    func keepsOthersFromSaving() throws(StoreError) -> Bool

    /// Starts a fetch. The cursor reads from this snapshot and keeps it alive.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.engineFailure`; `.predicate` and `.cancelled`, as
    ///   ``RowCursor/next(atMost:)``.
    func cursor(_ plan: FetchPlan) throws(StoreError) -> any RowCursor

    /// Returns how many rows the plan's entity and predicate match, offset and limit applied.
    ///
    /// nil where the engine cannot tell without the coordinator's help.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.engineFailure`; `.predicate` and `.cancelled`, as
    ///   ``RowCursor/next(atMost:)``.
    func count(_ plan: FetchPlan) throws(StoreError) -> Int?

    /// Returns the stored row of each ID.
    ///
    /// IDs without a row are left out of the result. The order of `ids` is not significant, and an
    /// object that is asked for several times is answered once. The concrete entity in an ID may be
    /// wrong or unknown; the row's is right.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.engineFailure`.
    func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch

    /// Returns the stored row of one ID, as ``rows(for:)`` would; nil where it has none.
    ///
    /// Faults that fire one by one ask for their rows so: an engine that reads one row without what
    /// many need says how.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.engineFailure`.
    func row(for id: ObjectID) throws(StoreError) -> Row?

    /// Returns the members of a to-many relationship for each owner, in the order of `ids`.
    ///
    /// Members of an ordered relationship come by order key, members with equal order keys and
    /// members of other relationships by key. The IDs have the members' concrete entities. An owner
    /// that has no row has no members.
    ///
    /// - Precondition: `relationship` is to-many and persistent.
    /// - Throws: `.closed`, `.corrupt`, `.engineFailure`.
    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(StoreError) -> RelatedIDs

    /// Returns the bytes that a row keeps outside of itself.
    ///
    /// - Throws: `.closed`, `.externalDataMissing`, `.fileFailure`.
    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data
}

extension StoreSnapshot {
    /// False.
    public func keepsOthersFromSaving() throws(StoreError) -> Bool { false }

    /// The row of ``rows(for:)``.
    public func row(for id: ObjectID) throws(StoreError) -> Row? {
        let batch = try rows(for: [id])
        return batch.rowIndices.first.map { batch[row: $0] }
    }
}
