import CairnModel
import CairnRows

/// The members of a to-many relationship for several owners.
public struct RelatedIDs: Sendable {
    /// The members of all owners, one owner after the other.
    public private(set) var members: [ObjectID] = []
    /// The order key of each member. Among the members of one owner, order keys never decrease.
    /// Empty for an unordered relationship.
    public private(set) var orderKeys: [Int64] = []
    /// For each owner, the end index of its members in ``members``.
    public private(set) var ends: [Int] = []

    /// Creates an empty answer, for no owners. Fill it with ``append(_:orderKey:)`` and
    /// ``endOwner()``.
    public init() {}

    /// The number of owners.
    public var count: Int { ends.count }

    /// Returns the indices in ``members`` of the members of one owner.
    public func range(ofOwnerAt index: Int) -> Range<Int> {
        (index == 0 ? 0 : ends[index - 1])..<ends[index]
    }

    /// Adds a member to the current owner, whose members have not been ended yet.
    public mutating func append(_ member: ObjectID, orderKey: Int64? = nil) {
        members.append(member)
        if let orderKey { orderKeys.append(orderKey) }
    }

    /// Adds members without order keys to the current owner, in the given order.
    ///
    /// The parameter is an array, because a generic function that is called from other modules
    /// would look up the type of each member.
    package mutating func append(contentsOf members: [ObjectID]) {
        if self.members.isEmpty {
            self.members = members
        } else {
            self.members += members
        }
    }

    /// Adds an owner with the members of one owner of another answer.
    package mutating func appendOwner(at index: Int, of other: RelatedIDs) {
        let range = other.range(ofOwnerAt: index)
        members += other.members[range]
        if !other.orderKeys.isEmpty { orderKeys += other.orderKeys[range] }
        endOwner()
    }

    /// Adds all owners of another answer after the owners of this one.
    public mutating func append(_ other: RelatedIDs) {
        if ends.isEmpty {
            self = other
            return
        }
        let first = members.count
        members += other.members
        orderKeys += other.orderKeys
        ends += other.ends.map { first + $0 }
    }

    /// Ends the current owner's members. The next member belongs to the next owner.
    public mutating func endOwner() { ends.append(members.count) }
}

/// A to-many relationship, and the owners whose members are asked for.
public struct RelatedQuestion: Sendable {
    /// The relationship, which must be to-many and persistent.
    public var relationship: Relationship
    /// The objects whose members are asked for, as in ``StoreSnapshot/relatedIDs(_:of:)``.
    public var owners: [ObjectID]
    /// Whether the answer should also contain the members' rows.
    public var includesRows: Bool

    /// Creates a question. By default, it asks only for the members' IDs.
    package init(_ relationship: Relationship, of owners: [ObjectID], includesRows: Bool = false) {
        self.relationship = relationship
        self.owners = owners
        self.includesRows = includesRows
    }
}

/// The answer to several ``RelatedQuestion`` values.
public struct RelatedAnswer: Sendable {
    /// The members that each question asks for, in the order of the questions.
    public var members: [RelatedIDs]
    /// The rows of members, for questions that include rows. They come in any order, each row once.
    ///
    /// An engine may leave rows out to keep the answer small. The coordinator reads missing rows
    /// with ``StoreSnapshot/rows(for:)``.
    public var rows: RowBatch

    /// Creates an answer. By default, it answers no questions.
    public init(members: [RelatedIDs] = [], rows: RowBatch = RowBatch()) {
        self.members = members
        self.rows = rows
    }
}
