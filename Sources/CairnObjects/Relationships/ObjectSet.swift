import CairnModel
import CairnStack

/// The members of an unordered to-many relationship of an object.
///
/// This is a view that always shows the current state of the relationship. The IDs of the members are
/// fetched when they are first needed, and the members themselves one by one. Adding or removing a member
/// does not fetch other members.
public struct ObjectSet<Element: ManagedObject> {
    let owner: ManagedObject
    let binding: RelationshipBinding

    /// Adds a member, and adds the owner to the member's inverse relationship.
    ///
    /// - Throws: `.wrongType`, `.wrongContext`, `.objectGone`, `.store`.
    public func insert(_ member: Element) throws(GraphError) {
        try owner.relations.add(member, to: owner, binding)
    }

    /// Adds a member. This is ``insert(_:)`` under the name that Core Data's mutable sets use.
    ///
    /// - Throws: The same errors as ``insert(_:)``.
    public func add(_ member: Element) throws(GraphError) { try insert(member) }

    /// Removes a member, and removes the owner from the member's inverse relationship.
    ///
    /// - Throws: `.objectGone`, `.store`.
    public func remove(_ member: Element) throws(GraphError) {
        try owner.relations.remove(member, from: owner, binding)
    }

    /// Adds members. Objects that are already members are ignored.
    ///
    /// - Throws: The same errors as ``insert(_:)``.
    public func formUnion(_ members: some Sequence<Element>) throws(GraphError) {
        for member in members { try insert(member) }
    }

    /// Removes members. Objects that are not members are ignored.
    ///
    /// - Throws: The same errors as ``remove(_:)``.
    public func subtract(_ members: some Sequence<Element>) throws(GraphError) {
        for member in members { try remove(member) }
    }

    /// Removes all members except the given objects.
    ///
    /// - Throws: The same errors as ``remove(_:)``.
    public func formIntersection(_ members: some Sequence<Element>) throws(GraphError) {
        let kept = Set(members.map(\.objectID))
        let ids = try objectIDs().filter { !kept.contains($0) }
        for id in ids {
            guard let member = owner.owner?.registeredOrFault(id) else { continue }
            try owner.relations.remove(member, from: owner, binding)
        }
    }

    /// Replaces the members with the given objects.
    ///
    /// - Throws: The same errors as ``insert(_:)``.
    public func replaceAll(with members: some Sequence<Element>) throws(GraphError) {
        try owner.relations.setMembers(Array(members), of: owner, binding)
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

    /// Returns the IDs of all members. Does not fetch the members.
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

extension ObjectSet: Sequence {
    /// Returns an iterator over the current members, which are faults unless they were fetched before. If
    /// the members cannot be read, the failure is reported and the sequence is empty. If a member is not an
    /// instance of the class of the members, this is reported and the sequence ends.
    public func makeIterator() -> AnyIterator<Element> {
        owner.memberIterator(binding)
    }
}

extension ManagedObject {
    final var relations: InverseMaintainer {
        get throws(GraphError) {
            guard let owner else { throw .objectGone(objectID, absence) }
            owner.settle()
            return owner.relations
        }
    }

    /// Returns the members. If they cannot be read, reports the failure and returns no members.
    final func membersOrNone(_ binding: RelationshipBinding) -> MemberIDs {
        checkTurn()
        do {
            return try readMembers(binding)
        } catch {
            report(error)
            return .none
        }
    }

    final func memberIterator<Element: ManagedObject>(
        _ binding: RelationshipBinding
    ) -> AnyIterator<Element> {
        var ids = membersOrNone(binding).current.makeIterator()
        return AnyIterator { [self] in
            while let id = ids.next() {
                guard let owner else {
                    report(.objectGone(objectID, absence))
                    return nil
                }
                do throws(GraphError) {
                    if let member = try owner.registeredOrFault(id, as: Element.self) {
                        return member
                    }
                } catch {
                    report(error)
                    return nil
                }
            }
            return nil
        }
    }
}
