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

/// Identifies the state that a snapshot shows.
///
/// Every commit that changes rows, pairs or metadata increases it, including commits by other
/// processes.
public struct StoreGeneration: RawRepresentable, Sendable, Hashable, Comparable {
    /// Comparable within one opened store only: some engines count from 1 with each opening.
    public let rawValue: UInt64

    /// Takes the engine's number for a state.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    /// Takes the engine's number for a state.
    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// Whether the left state is the older one, of two states of one opened store.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The members of one to-many relationship for several owners.
public struct RelatedIDs: Sendable {
    /// The members of all owners, one owner after the other.
    public private(set) var members: [ObjectID] = []
    /// The order key of each member, which never decreases among the members of one owner. Empty for
    /// an unordered relationship.
    public private(set) var orderKeys: [Int64] = []
    /// Where each owner's members end.
    public private(set) var ends: [Int] = []

    /// The answer to a question about no owners; ``append(_:orderKey:)`` and ``endOwner()`` fill
    /// it.
    public init() {}

    /// The number of owners.
    public var count: Int { ends.count }

    /// The places in ``members`` of the owner at that position of the question.
    public func range(ofOwnerAt index: Int) -> Range<Int> {
        (index == 0 ? 0 : ends[index - 1])..<ends[index]
    }

    /// Adds a member to the owner that was not ended yet.
    public mutating func append(_ member: ObjectID, orderKey: Int64? = nil) {
        members.append(member)
        if let orderKey { orderKeys.append(orderKey) }
    }

    /// Ends the current owner's members.
    public mutating func endOwner() { ends.append(members.count) }
}
