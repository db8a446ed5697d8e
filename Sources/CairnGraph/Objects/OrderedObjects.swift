import CairnModel

/// The members of an ordered to-many relationship of one object, in their order.
///
/// A view: always shows the relationship as it is. Members are fetched as IDs when first asked for,
/// and made objects one by one.
public struct OrderedObjects<Element: ManagedObject> {
    let owner: ManagedObject
    let binding: RelationshipBinding

    /// Adds a member at the end; one that is a member already stays where it is.
    ///
    /// - Throws: `.wrongType`, `.wrongContext`, `.objectGone`, `.store`.
    public func append(_ member: Element) throws(GraphError) {
        try owner.relations.add(member, to: owner, binding)
    }

    /// Adds a member at a place; one that is a member already moves there. A place beyond the end
    /// means the end.
    ///
    /// - Throws: `.wrongType`, `.wrongContext`, `.objectGone`, `.store`.
    public func insert(_ member: Element, at index: Int) throws(GraphError) {
        try owner.relations.add(member, to: owner, binding)
        var ids = try owner.loadedMembers(binding).current
        ids.removeAll { $0 == member.objectID }
        ids.insert(member.objectID, at: Swift.min(Swift.max(index, 0), ids.count))
        try owner.relations.arrange(ids, of: owner, binding)
    }

    /// Moves a member to a place among the others; what is no member is left alone.
    ///
    /// - Throws: `.objectGone`, `.store`.
    public func move(_ member: Element, to index: Int) throws(GraphError) {
        guard try contains(member) else { return }
        try insert(member, at: index)
    }

    /// Removes a member, and makes its inverse lead here no more.
    ///
    /// - Throws: `.objectGone`, `.store`.
    public func remove(_ member: Element) throws(GraphError) {
        try owner.relations.remove(member, from: owner, binding)
    }

    /// Makes exactly these objects the members, in this order.
    ///
    /// - Throws: `.wrongType`, `.wrongContext`, `.objectGone`, `.store`.
    public func replaceAll(with members: [Element]) throws(GraphError) {
        try owner.relations.setMembers(members, of: owner, binding)
    }

    /// Whether the object is a member.
    ///
    /// - Throws: `.objectGone`, `.store`.
    public func contains(_ member: Element) throws(GraphError) -> Bool {
        try owner.relations.contains(member, in: owner, binding, unknown: nil)
    }

    /// The member at a place; nil beyond the end.
    ///
    /// - Throws: `.store`.
    public func member(at index: Int) throws(GraphError) -> Element? {
        let ids = try owner.loadedMembers(binding).current
        guard ids.indices.contains(index) else { return nil }
        return owner.owner?.registeredOrFault(ids[index]) as? Element
    }

    /// The IDs of all members, in order; fetches no member.
    ///
    /// - Throws: `.store`.
    public func objectIDs() throws(GraphError) -> [ObjectID] {
        try owner.loadedMembers(binding).current
    }

    /// How many members there are; fetches none. 0 where they cannot be had.
    public var count: Int { owner.membersOrNone(binding).count }
    /// Whether there are no members.
    public var isEmpty: Bool { count == 0 }
}

extension OrderedObjects: Sequence {
    /// The members at this moment, in order: faults, unless they were fetched before. None where
    /// they cannot be had.
    public func makeIterator() -> AnyIterator<Element> {
        owner.memberIterator(binding)
    }
}
