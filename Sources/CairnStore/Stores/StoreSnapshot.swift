import CairnModel
import Foundation

/// One consistent state of a store: later saves, of other processes too, do not show.
///
/// A snapshot ends with ``end()``, with ``PersistentStore/close()``, or when it and its cursors are
/// released, whichever comes first. It may hold a read transaction, so the coordinator keeps it no
/// longer than needed.
///
/// Several threads may call one snapshot at once. Several cursors of one snapshot may be read in
/// turn, or at once by one thread each.
///
/// A snapshot that has lost its state, such as with the connection to a server, throws
/// `.engineFailure` from then on. The coordinator replaces a snapshot that it had kept by a new one,
/// once, whether or not the failure says ``EngineFailure/isTransient``, because reads change nothing. A
/// context that is pinned to the lost state gets the error.
public protocol StoreSnapshot: AnyObject, Sendable {
    /// Which state this is. Stays the same for as long as the snapshot is held.
    var generation: StoreGeneration { get }

    /// How the coordinator puts its questions to this snapshot. The default suits an engine in the
    /// same process.
    var readPreferences: ReadPreferences { get }

    /// Returns whether no one else can save while the snapshot is held. The default implementation
    /// returns `false`.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.busy`, `.engineFailure`.
    func keepsOthersFromSaving() throws(StoreError) -> Bool

    /// Starts a fetch. The cursor reads from this snapshot and keeps it alive.
    ///
    /// An error of the fetch may come from this call or from a batch of the cursor, whichever the
    /// engine finds simpler.
    ///
    /// - Throws: what ``RowCursor/next(atMost:)`` throws.
    func cursor(_ plan: FetchPlan) throws(StoreError) -> any RowCursor

    /// Divides a fetch into parts that several threads can read at the same time.
    ///
    /// The cursors of the parts find, one part after the other, what ``cursor(_:)`` finds of the plan, in this
    /// snapshot's state. They complete every stage. Returns no parts if reading them would not end sooner, if
    /// the engine does not divide the fetch, or if it lacks a resource for that, such as a free
    /// slot for another reader. The default implementation returns none.
    ///
    /// - Parameters:
    ///   - count: the most parts, at least two.
    ///   - rowsEach: how many matches a part must have to be worth a thread. An estimate is enough.
    /// - Throws: what ``RowCursor/next(atMost:)`` throws.
    func parts(
        of plan: FetchPlan, atMost count: Int, rowsEach: Int
    ) throws(StoreError) -> [FetchPart]

    /// Returns how many rows the plan's entity and predicate match, offset and limit applied. The
    /// count is exact. Returns `nil` if the engine cannot tell without the coordinator's help.
    ///
    /// - Throws: what ``RowCursor/next(atMost:)`` throws.
    func count(_ plan: FetchPlan) throws(StoreError) -> Int?

    /// Returns the stored row of each ID.
    ///
    /// IDs without a row are left out of the result, as are IDs of another store or of an entity that
    /// the store does not hold. The rows come in any order, not necessarily that of `ids`, and an
    /// object that is asked for several times is answered once. The concrete entity in an ID may be
    /// wrong or unknown; the row's is right.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.deadlineExceeded`, `.engineFailure`.
    func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch

    /// Returns the stored row of one ID, as ``rows(for:)`` would. Returns `nil` if the ID has no row.
    ///
    /// The coordinator calls this when a single fault fires. Implement it if reading one row can be
    /// made cheaper than ``rows(for:)`` with one ID.
    ///
    /// - Throws: what ``rows(for:)`` throws.
    func row(for id: ObjectID) throws(StoreError) -> Row?

    /// Returns the members of a to-many relationship for each owner, in the order of `ids`.
    ///
    /// Members of an ordered relationship come by order key, members with equal order keys and
    /// members of other relationships by key. The IDs have the members' concrete entities.
    ///
    /// Every ID in `ids` is answered, as often as it is asked for. An owner that has no row has no
    /// members, nor has an ID of another store or of an entity that does not have the relationship. The
    /// concrete entity in an owner's ID may be wrong or unknown.
    ///
    /// - Precondition: `relationship` is to-many and persistent.
    /// - Throws: what ``rows(for:)`` throws.
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
    /// - Throws: what ``rows(for:)`` throws.
    func related(_ questions: [RelatedQuestion]) throws(StoreError) -> RelatedAnswer

    /// Returns the bytes that a row keeps outside of itself. A snapshot has the bytes of all rows that
    /// it shows, also if a later save deleted or replaced them.
    ///
    /// - Throws: `.closed`, `.externalDataMissing` if the bytes are not there, `.deadlineExceeded`,
    ///   `.fileFailure`, `.engineFailure`.
    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data

    /// Returns the objects that differ between an earlier state of the store and this one, whoever
    /// saved them. Returns `nil` if the engine cannot tell, as the default implementation does.
    ///
    /// No object that differs is left out. The coordinator keeps the rows of all other objects that
    /// it has read.
    ///
    /// - Throws: what ``rows(for:)`` throws.
    func changes(since generation: StoreGeneration) throws(StoreError) -> StoreChanges?

    /// Ends the snapshot: what it holds of the store is released. The default implementation does
    /// nothing.
    ///
    /// From then on each of its calls throws `.closed`, and so do its cursors, if they do not
    /// answer as before. Batches that were read can still be used. Ending a snapshot again has no
    /// effect.
    ///
    /// Nobody waits for an answer, so an engine may tell its server together with the next request. A
    /// snapshot that keeps others from saving is ended at once.
    func end()
}

extension StoreSnapshot {
    /// Returns the preferences of an engine in the same process.
    public var readPreferences: ReadPreferences { ReadPreferences() }

    /// Returns `false`.
    public func keepsOthersFromSaving() throws(StoreError) -> Bool { false }

    /// Returns no parts: one thread reads the fetch.
    public func parts(
        of plan: FetchPlan, atMost count: Int, rowsEach: Int
    ) throws(StoreError) -> [FetchPart] { [] }

    /// Returns the row of ``rows(for:)``.
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

    /// Returns `nil`: the engine cannot tell.
    public func changes(since generation: StoreGeneration) throws(StoreError) -> StoreChanges? {
        nil
    }

    /// Does nothing: the snapshot ends when it is released.
    public func end() {}
}
