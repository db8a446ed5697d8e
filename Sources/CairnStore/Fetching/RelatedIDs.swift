import CairnModel

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

    /// Returns the indices in ``members`` of the members of the owner at `index` in the question.
    public func range(ofOwnerAt index: Int) -> Range<Int> {
        (index == 0 ? 0 : ends[index - 1])..<ends[index]
    }

    /// Adds a member to the owner that was not ended yet.
    public mutating func append(_ member: ObjectID, orderKey: Int64? = nil) {
        members.append(member)
        if let orderKey { orderKeys.append(orderKey) }
    }

    /// Adds members in their order to the owner that was not ended yet. They come without order keys.
    ///
    /// Takes an array: other modules would have a generic function look up the type of each member.
    package mutating func append(contentsOf members: [ObjectID]) {
        if self.members.isEmpty {
            self.members = members
        } else {
            self.members += members
        }
    }

    /// Adds an owner with the members that an owner of another answer has.
    package mutating func appendOwner(at index: Int, of other: RelatedIDs) {
        let range = other.range(ofOwnerAt: index)
        members += other.members[range]
        if !other.orderKeys.isEmpty { orderKeys += other.orderKeys[range] }
        endOwner()
    }

    /// Adds the owners of another answer after these.
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

    /// Ends the current owner's members.
    public mutating func endOwner() { ends.append(members.count) }
}
