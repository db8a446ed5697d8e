import CairnModel
import Foundation

/// One consistent state of a store: later saves, of other processes too, do not show.
///
/// A snapshot may hold a read transaction, so it is kept no longer than needed. It ends with
/// ``end()``, or when it is released.
public protocol StoreSnapshot: AnyObject, Sendable {
    /// Which state this is.
    var generation: StoreGeneration { get }

    /// How the coordinator puts its questions to this snapshot. The default suits an engine in the
    /// same process.
    var readPreferences: ReadPreferences { get }

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

    /// Returns the members that each of several questions asks for, in the order of the questions,
    /// each as ``relatedIDs(_:of:)`` would.
    ///
    /// Rows that come along are those of ``rows(for:)``, each once, and of members of questions that
    /// include rows. The default implementation makes one call for each question, and one for the
    /// rows; an engine for which a call is expensive answers all of them in one.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.engineFailure`.
    func related(_ questions: [RelatedQuestion]) throws(StoreError) -> RelatedAnswer

    /// Returns the bytes that a row keeps outside of itself.
    ///
    /// - Throws: `.closed`, `.externalDataMissing`, `.fileFailure`.
    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data

    /// Returns the objects that differ between an earlier state of the store and this one, whoever
    /// saved them. Returns `nil` if the engine cannot tell, as the default implementation does.
    ///
    /// No object that differs is left out. The coordinator keeps the rows of all other objects that
    /// it has read.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.engineFailure`.
    func changes(since generation: StoreGeneration) throws(StoreError) -> StoreChanges?

    /// Ends the snapshot: what it holds of the store is released. The default implementation does
    /// nothing.
    ///
    /// From then on each of its calls throws `.closed`, and so do its cursors, if they do not
    /// answer as before. Batches that were read can still be used. Ending a snapshot again has no
    /// effect.
    func end()
}

extension StoreSnapshot {
    /// Those of an engine in the same process.
    public var readPreferences: ReadPreferences { ReadPreferences() }

    /// False.
    public func keepsOthersFromSaving() throws(StoreError) -> Bool { false }

    /// The row of ``rows(for:)``.
    public func row(for id: ObjectID) throws(StoreError) -> Row? {
        let batch = try rows(for: [id])
        return batch.rowIndices.first.map { batch[row: $0] }
    }

    /// Asks for the members of each question, and then for all rows.
    public func related(_ questions: [RelatedQuestion]) throws(StoreError) -> RelatedAnswer {
        var answer = RelatedAnswer()
        var wanted: [ObjectID] = []
        for question in questions {
            let related = try relatedIDs(question.relationship, of: question.owners)
            if question.includesRows { wanted += related.members }
            answer.members.append(related)
        }
        if !wanted.isEmpty { answer.rows = try rows(for: wanted) }
        return answer
    }

    /// `nil`: the engine cannot tell.
    public func changes(since generation: StoreGeneration) throws(StoreError) -> StoreChanges? {
        nil
    }

    /// Nothing: the snapshot ends when it is released.
    public func end() {}
}
