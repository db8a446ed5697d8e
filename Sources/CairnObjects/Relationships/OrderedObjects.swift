import CairnModel
import CairnStack

/// The members of an ordered to-many relationship of an object, in order.
///
/// This is a view that always shows the current state of the relationship. The IDs of the members are
/// fetched when they are first needed, and the members themselves one by one.
public struct OrderedObjects<Element: ManagedObject> {
    let owner: ManagedObject
    let binding: RelationshipBinding

    /// Adds a member at the end. An object that is already a member keeps its position.
    ///
    /// - Throws: `.wrongType`, `.wrongContext`, `.objectGone`, `.store`.
    public func append(_ member: Element) throws(GraphError) {
        try owner.relations.add(member, to: owner, binding)
    }

    /// Adds a member at the end. This is ``append(_:)`` under the name that Core Data's mutable sets use.
    ///
    /// - Throws: The same errors as ``append(_:)``.
    public func add(_ member: Element) throws(GraphError) { try append(member) }

    /// Adds a member at an index. An object that is already a member is moved. An index beyond the end
    /// means the end. The first such change after a save takes time in proportion to the number of
    /// members. Later ones examine only a few hundred members.
    ///
    /// - Throws: `.wrongType`, `.wrongContext`, `.objectGone`, `.store`.
    public func insert(_ member: Element, at index: Int) throws(GraphError) {
        try owner.relations.add(member, to: owner, binding)
        try owner.relations.move(member.objectID, to: index, in: owner, binding)
    }

    /// Adds members at an index, in their order. Objects that are already members are moved. An index
    /// beyond the end means the end. The members are rearranged only once, however many are added.
    ///
    /// - Throws: The same errors as ``insert(_:at:)``.
    public func insert(contentsOf members: [Element], at index: Int) throws(GraphError) {
        for member in members { try owner.relations.add(member, to: owner, binding) }
        var seen: Set<ObjectID> = []
        let inserted = members.map(\.objectID).filter { seen.insert($0).inserted }
        try rearrange { ids in
            ids.removeAll(where: seen.contains)
            ids.insert(contentsOf: inserted, at: Swift.min(Swift.max(index, 0), ids.count))
        }
    }

    /// Moves a member to an index among the other members. Does nothing if the object is not a member.
    ///
    /// - Throws: `.objectGone`, `.store`.
    public func move(_ member: Element, to index: Int) throws(GraphError) {
        guard try owner.relations.contains(member, in: owner, binding) else { return }
        try owner.relations.move(member.objectID, to: index, in: owner, binding)
    }

    /// Moves the members at the given indices to an index among the other members. The moved members keep
    /// their relative order. Indices that are out of bounds are ignored.
    ///
    /// - Throws: `.store`.
    public func moveMembers(at indices: [Int], to index: Int) throws(GraphError) {
        try rearrange { ids in
            let indices = Set(indices)
            let moved = ids.indices.filter(indices.contains).map { ids[$0] }
            ids = ids.indices.filter { !indices.contains($0) }.map { ids[$0] }
            ids.insert(contentsOf: moved, at: Swift.min(Swift.max(index, 0), ids.count))
        }
    }

    /// Exchanges the members at two indices. Does nothing if one of them is out of bounds.
    ///
    /// - Throws: `.store`.
    public func exchangeMembers(at first: Int, and second: Int) throws(GraphError) {
        let (left, right) = (Swift.min(first, second), Swift.max(first, second))
        guard let former = try id(at: left), let latter = try id(at: right) else { return }
        try owner.relations.move(latter, to: left, in: owner, binding)
        try owner.relations.move(former, to: right, in: owner, binding)
    }

    /// Returns the ID at an index. This is a separate function so that no copy of the members exists when
    /// they change: otherwise, the change would have to copy them.
    private func id(at index: Int) throws(GraphError) -> ObjectID? {
        try owner.loadedMembers(binding).member(at: index)
    }

    /// Replaces the member at an index with another object. If the object is a member at another index,
    /// it is moved. Does nothing if the index is out of bounds, or if the object is already at this
    /// index.
    ///
    /// - Throws: The same errors as ``insert(_:at:)``.
    public func replaceMember(at index: Int, with member: Element) throws(GraphError) {
        guard let replaced = try self.member(at: index), replaced !== member else { return }
        let insertionIndex =
            try self.index(of: member).map { $0 < index ? index - 1 : index } ?? index
        try remove(replaced)
        try insert(member, at: insertionIndex)
    }

    /// Removes the member at an index. Does nothing if the index is out of bounds.
    ///
    /// - Throws: `.objectGone`, `.store`.
    public func remove(at index: Int) throws(GraphError) {
        guard let member = try member(at: index) else { return }
        owner.indexPositions(of: binding)
        try remove(member)
    }

    /// Returns the index of a member, or `nil` if the object is not a member.
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

    /// Removes a member, and removes the owner from the member's inverse relationship.
    ///
    /// - Throws: `.objectGone`, `.store`.
    public func remove(_ member: Element) throws(GraphError) {
        try owner.relations.remove(member, from: owner, binding)
    }

    /// Replaces the members with the given objects, in their order.
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

    /// Returns whether the object is a member. Does not read the other members, unless the relationship
    /// has no inverse.
    ///
    /// - Throws: `.objectGone`, `.store`.
    public func contains(_ member: Element) throws(GraphError) -> Bool {
        owner.noteRead(of: binding.storage)
        return try owner.relations.contains(member, in: owner, binding)
    }

    /// Returns the member at an index, or `nil` if the index is out of bounds.
    ///
    /// - Throws: `.objectGone`, `.store`.
    public func member(at index: Int) throws(GraphError) -> Element? {
        guard let id = try owner.readMembers(binding).member(at: index) else { return nil }
        return try owner.presentContext.registeredOrFault(id, as: Element.self)
    }

    /// Returns the IDs of all members, in order. Does not fetch the members.
    ///
    /// - Throws: `.store`.
    public func objectIDs() throws(GraphError) -> [ObjectID] {
        try owner.readMembers(binding).current
    }

    /// The number of members. Does not fetch the members. If the members cannot be read, the failure is
    /// reported and the number is 0.
    public var count: Int { owner.membersOrNone(binding).count }
    /// Whether the relationship has no members.
    public var isEmpty: Bool { count == 0 }
}

extension OrderedObjects: Sequence {
    /// Returns an iterator over the current members, in order. They are faults unless they were fetched
    /// before. If the members cannot be read, the failure is reported and the sequence is empty.
    public func makeIterator() -> AnyIterator<Element> {
        owner.memberIterator(binding)
    }
}
