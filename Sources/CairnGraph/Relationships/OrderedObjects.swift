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

    /// Adds a member at the end. The same as ``append(_:)``, by the name that Core Data's mutable sets have.
    ///
    /// - Throws: as ``append(_:)``.
    public func add(_ member: Element) throws(GraphError) { try append(member) }

    /// Adds a member at a place; one that is a member already moves there. A place beyond the end
    /// means the end. The first such change since a save costs time in all members, others look at
    /// a few hundred.
    ///
    /// - Throws: `.wrongType`, `.wrongContext`, `.objectGone`, `.store`.
    public func insert(_ member: Element, at index: Int) throws(GraphError) {
        try owner.relations.add(member, to: owner, binding)
        try owner.relations.move(member.objectID, to: index, in: owner, binding)
    }

    /// Adds members at a place, one after the other; those that are members already move there. A
    /// place beyond the end means the end. Costs time in all members once, however many are added.
    ///
    /// - Throws: as ``insert(_:at:)``.
    public func insert(contentsOf members: [Element], at index: Int) throws(GraphError) {
        for member in members { try owner.relations.add(member, to: owner, binding) }
        var seen: Set<ObjectID> = []
        let inserted = members.map(\.objectID).filter { seen.insert($0).inserted }
        try rearrange { ids in
            ids.removeAll(where: seen.contains)
            ids.insert(contentsOf: inserted, at: Swift.min(Swift.max(index, 0), ids.count))
        }
    }

    /// Moves a member to a place among the others; what is no member is left alone.
    ///
    /// - Throws: `.objectGone`, `.store`.
    public func move(_ member: Element, to index: Int) throws(GraphError) {
        guard try owner.relations.contains(member, in: owner, binding) else { return }
        try owner.relations.move(member.objectID, to: index, in: owner, binding)
    }

    /// Moves the members at some places to a place among the others, in the order that they have.
    /// Places beyond the end are passed over.
    ///
    /// - Throws: `.store`.
    public func moveMembers(at places: [Int], to index: Int) throws(GraphError) {
        try rearrange { ids in
            let places = Set(places)
            let moved = ids.indices.filter(places.contains).map { ids[$0] }
            ids = ids.indices.filter { !places.contains($0) }.map { ids[$0] }
            ids.insert(contentsOf: moved, at: Swift.min(Swift.max(index, 0), ids.count))
        }
    }

    /// Exchanges the members at two places; does nothing where one is beyond the end.
    ///
    /// - Throws: `.store`.
    public func exchangeMembers(at first: Int, and second: Int) throws(GraphError) {
        let (left, right) = (Swift.min(first, second), Swift.max(first, second))
        guard let former = try id(at: left), let latter = try id(at: right) else { return }
        try owner.relations.move(latter, to: left, in: owner, binding)
        try owner.relations.move(former, to: right, in: owner, binding)
    }

    /// Holds the members no longer than that: they are copied where somebody does while they change.
    private func id(at index: Int) throws(GraphError) -> ObjectID? {
        try owner.loadedMembers(binding).member(at: index)
    }

    /// Puts another object in the place of a member, which is one no more. Does nothing beyond the
    /// end, or where the object is in that place; one that is elsewhere moves.
    ///
    /// - Throws: as ``insert(_:at:)``.
    public func replaceMember(at index: Int, with member: Element) throws(GraphError) {
        guard let replaced = try self.member(at: index), replaced !== member else { return }
        let place = try self.index(of: member).map { $0 < index ? index - 1 : index } ?? index
        try remove(replaced)
        try insert(member, at: place)
    }

    /// Removes the member at a place; does nothing beyond the end.
    ///
    /// - Throws: `.objectGone`, `.store`.
    public func remove(at index: Int) throws(GraphError) {
        guard let member = try member(at: index) else { return }
        owner.indexPlaces(of: binding)
        try remove(member)
    }

    /// The place of a member; nil where the object is none.
    ///
    /// - Throws: `.store`.
    public func index(of member: Element) throws(GraphError) -> Int? {
        try owner.readMembers(binding).index(of: member.objectID)
    }

    private func rearrange(_ body: (inout [ObjectID]) -> Void) throws(GraphError) {
        var ids = try owner.loadedMembers(binding).current
        body(&ids)
        try owner.relations.arrange(ids, of: owner, binding)
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

    /// Removes all members.
    ///
    /// - Throws: `.objectGone`, `.store`.
    public func removeAll() throws(GraphError) {
        try owner.relations.setMembers([], of: owner, binding)
    }

    /// Whether the object is a member. Reads none of the other members, apart from a relationship
    /// that nothing leads back over.
    ///
    /// - Throws: `.objectGone`, `.store`.
    public func contains(_ member: Element) throws(GraphError) -> Bool {
        owner.noteRead(of: binding.storage)
        return try owner.relations.contains(member, in: owner, binding)
    }

    /// The member at a place; nil beyond the end.
    ///
    /// - Throws: `.objectGone`, `.store`.
    public func member(at index: Int) throws(GraphError) -> Element? {
        guard let id = try owner.readMembers(binding).member(at: index) else { return nil }
        return try owner.presentContext.registeredOrFault(id) as? Element
    }

    /// The IDs of all members, in order; fetches no member.
    ///
    /// - Throws: `.store`.
    public func objectIDs() throws(GraphError) -> [ObjectID] {
        try owner.readMembers(binding).current
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
