import CairnModel
import CairnRows
import Foundation

/// A consistent, read-only view of a store. Later saves, including saves by other processes, are
/// not visible in it.
///
/// A snapshot ends when ``end()`` or ``PersistentStore/close()`` is called, or when the snapshot
/// and its cursors are released. It may hold a read transaction, so the coordinator keeps it no
/// longer than needed.
///
/// Several threads may call a snapshot at the same time. Several cursors of one snapshot may be
/// read in turn, or at the same time if each is read by one thread.
///
/// A snapshot that has lost its state, for example because the connection to a server was lost,
/// throws `.engineFailure` from then on. The coordinator replaces a kept snapshot once in that
/// case, whether or not the failure has ``EngineFailure/isTransient`` set, because reads change
/// nothing. A context that is pinned to the lost state receives the error.
public protocol StoreSnapshot: AnyObject, Sendable {
    /// The state that the snapshot shows. It stays the same as long as the snapshot is held.
    var generation: StoreGeneration { get }

    /// How the coordinator should ask this snapshot for data. The default implementation suits an
    /// engine in the same process.
    var readPreferences: ReadPreferences { get }

    /// Returns whether holding the snapshot keeps everyone else from saving. The default
    /// implementation returns `false`.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.busy`, `.engineFailure`.
    func keepsOthersFromSaving() throws(StoreError) -> Bool

    /// Starts a fetch. The cursor reads from this snapshot and keeps it alive.
    ///
    /// An error of the fetch may be thrown by this call or when a batch is read from the cursor,
    /// whichever is simpler for the engine.
    ///
    /// - Throws: the errors of ``RowCursor/next(atMost:)``.
    func cursor(_ plan: FetchPlan) throws(StoreError) -> any RowCursor

    /// Divides a fetch into parts that several threads can read at the same time.
    ///
    /// Read one after the other, the cursors of the parts return the matches that ``cursor(_:)``
    /// finds for the plan, in the state of this snapshot. They complete every stage. Returns an
    /// empty array if reading parts would not be faster, if the engine does not divide the fetch,
    /// or if it lacks a resource for that, such as a free slot for another reader. The default
    /// implementation returns an empty array.
    ///
    /// - Parameters:
    ///   - plan: the fetch to divide.
    ///   - count: the maximum number of parts, at least two.
    ///   - rowsEach: how many matches a part must have to be worth a thread. An estimate is enough.
    /// - Throws: the errors of ``RowCursor/next(atMost:)``.
    func parts(
        of plan: FetchPlan, atMost count: Int, rowsEach: Int
    ) throws(StoreError) -> [FetchPart]

    /// Returns the exact number of rows that match the plan's entity and predicate, after applying
    /// its offset and limit. Returns `nil` if the engine cannot tell without the coordinator's
    /// help.
    ///
    /// - Throws: the errors of ``RowCursor/next(atMost:)``.
    func count(_ plan: FetchPlan) throws(StoreError) -> Int?

    /// Returns the stored row of each ID.
    ///
    /// IDs without a row are left out of the result, as are IDs of another store and IDs of an
    /// entity that the store does not hold. The rows are returned in any order, not necessarily
    /// that of `ids`, and duplicates in `ids` are ignored. The concrete entity in an ID may be wrong
    /// or unknown, but the entity in the row is right.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.deadlineExceeded`, `.engineFailure`.
    func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch

    /// Returns the stored row of one ID, as ``rows(for:)`` does. Returns `nil` if the ID has no
    /// row.
    ///
    /// The coordinator calls this method when a single fault fires. Implement it if one row can be
    /// read at less cost than by calling ``rows(for:)`` with one ID.
    ///
    /// - Throws: the errors of ``rows(for:)``.
    func row(for id: ObjectID) throws(StoreError) -> Row?

    /// Returns the members of a to-many relationship for each owner, in the order of `ids`.
    ///
    /// Members of an ordered relationship are sorted by order key. Members with equal order keys,
    /// and members of unordered relationships, are sorted by key. The IDs contain the members'
    /// concrete entities.
    ///
    /// Every ID in `ids` gets an answer, as often as it occurs. An owner has no members if it has no row, if
    /// it belongs to another store, or if its entity does not have the relationship. The concrete entity in
    /// an owner's ID may be wrong or unknown.
    ///
    /// - Precondition: `relationship` is to-many and persistent.
    /// - Throws: the errors of ``rows(for:)``.
    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(StoreError) -> RelatedIDs

    /// Returns the members that each of several questions asks for, in the order of the questions.
    /// Each answer is the one that ``relatedIDs(_:of:)`` would return.
    ///
    /// For questions that include rows, the answer also contains the rows of the members, each row once, as
    /// ``rows(for:)`` returns them. The default implementation makes one call for each question, and one call
    /// for the rows. An engine for which a call is expensive should answer all questions in one call.
    ///
    /// - Throws: the errors of ``rows(for:)``.
    func related(_ questions: [RelatedQuestion]) throws(StoreError) -> RelatedAnswer

    /// Returns the bytes that a row stores outside of itself. A snapshot can return the bytes of
    /// all rows that it shows, even if a later save, by any process, deleted or replaced them.
    ///
    /// - Throws: `.closed`, `.externalDataMissing` if the bytes are missing, `.deadlineExceeded`,
    ///   `.fileFailure`, `.engineFailure`.
    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data

    /// Returns the objects that differ between an earlier state of the store and this one, including
    /// those that other handles and processes have saved. Returns `nil` if the engine cannot tell.
    /// The default implementation returns `nil`.
    ///
    /// The result must contain every object that differs. The coordinator continues to use the rows
    /// of all other objects that it has read.
    ///
    /// - Throws: the errors of ``rows(for:)``.
    func changes(since generation: StoreGeneration) throws(StoreError) -> StoreChanges?

    /// Ends the snapshot and releases the resources of the store that it holds. The default
    /// implementation does nothing.
    ///
    /// From then on, each call of the snapshot and of its cursors throws `.closed`, or returns what
    /// it would have returned before. Batches that were read can still be used. Ending a snapshot
    /// twice has no effect.
    ///
    /// No one waits for an answer, so an engine may notify its server together with the next request. A
    /// snapshot that keeps others from saving must be ended immediately.
    func end()
}

extension StoreSnapshot {
    /// Returns preferences that suit an engine in the same process.
    public var readPreferences: ReadPreferences { ReadPreferences() }

    /// Returns `false`.
    public func keepsOthersFromSaving() throws(StoreError) -> Bool { false }

    /// Returns an empty array, so that one thread reads the whole fetch.
    public func parts(
        of plan: FetchPlan, atMost count: Int, rowsEach: Int
    ) throws(StoreError) -> [FetchPart] { [] }

    /// Returns the row that ``rows(for:)`` finds.
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

    /// Returns `nil`, for an engine that cannot tell.
    public func changes(since generation: StoreGeneration) throws(StoreError) -> StoreChanges? {
        nil
    }

    /// Does nothing. The snapshot ends when it is released.
    public func end() {}
}

/// Identifies the state that a snapshot shows.
///
/// Every commit that changes rows, pairs or metadata increases it, including commits by other
/// processes.
public struct StoreGeneration: RawRepresentable, Sendable, Hashable, Comparable {
    /// The engine's number for the state. Comparable only within one opened store, because some
    /// engines count from 1 each time a store is opened.
    public let rawValue: UInt64

    /// Creates a generation from the engine's number for a state.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    /// Creates a generation from the engine's number for a state.
    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// Returns whether the left state is the older one. Both must be states of the same opened
    /// store.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The objects that differ between two states of a store.
public struct StoreChanges: Sendable, Hashable {
    /// Objects that exist only in the later state.
    public var inserted: [ObjectID]
    /// Objects that exist in both states with different rows. May also contain objects whose rows
    /// are the same.
    public var updated: [ObjectID]
    /// Objects that exist only in the earlier state.
    public var deleted: [ObjectID]

    /// Creates changes. By default, nothing differs.
    public init(
        inserted: [ObjectID] = [], updated: [ObjectID] = [], deleted: [ObjectID] = []
    ) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }
}

/// An engine's preferences for the size and number of read calls.
///
/// Larger numbers mean fewer calls, and smaller numbers less memory for each call. Every number is
/// at least 1.
public struct ReadPreferences: Sendable, Hashable {
    /// The number of matches that the coordinator requests from a cursor at a time.
    public var rowsPerBatch: Int
    /// The maximum number of IDs in one call of ``StoreSnapshot/rows(for:)``, and of owners in one
    /// call of ``StoreSnapshot/related(_:)``.
    public var idsPerCall: Int
    /// Whether the coordinator asks for members and their rows in one call.
    ///
    /// If `false`, it first asks for the members' IDs, and then for those rows that it does not
    /// have yet. That takes one more call, but does not read known rows again.
    public var sendsRowsWithMembers: Bool

    /// Creates preferences. The defaults suit an engine in the same process.
    public init(
        rowsPerBatch: Int = 4096, idsPerCall: Int = 10_000, sendsRowsWithMembers: Bool = false
    ) {
        self.rowsPerBatch = rowsPerBatch
        self.idsPerCall = idsPerCall
        self.sendsRowsWithMembers = sendsRowsWithMembers
    }
}
