import CairnModel

/// The members of an unordered to-many relationship of one object.
///
/// A view: always shows the relationship as it is. Members are fetched as IDs when first asked for,
/// and made objects one by one; adding and removing fetches nothing of the others.
public struct ObjectSet<Element: ManagedObject> {
    let owner: ManagedObject
    let binding: RelationshipBinding

    /// Adds a member, and makes its inverse lead here.
    ///
    /// - Throws: `.wrongType`, `.wrongContext`, `.objectGone`, `.store`.
    public func insert(_ member: Element) throws(GraphError) {
        try owner.relations.add(member, to: owner, binding)
    }

    /// Adds a member. The same as ``insert(_:)``, by the name that Core Data's mutable sets have.
    ///
    /// - Throws: as ``insert(_:)``.
    public func add(_ member: Element) throws(GraphError) { try insert(member) }

    /// Removes a member, and makes its inverse lead here no more.
    ///
    /// - Throws: `.objectGone`, `.store`.
    public func remove(_ member: Element) throws(GraphError) {
        try owner.relations.remove(member, from: owner, binding)
    }

    /// Adds members; those that are members already stay.
    ///
    /// - Throws: as ``insert(_:)``.
    public func formUnion(_ members: some Sequence<Element>) throws(GraphError) {
        for member in members { try insert(member) }
    }

    /// Removes members; what is no member is left alone.
    ///
    /// - Throws: as ``remove(_:)``.
    public func subtract(_ members: some Sequence<Element>) throws(GraphError) {
        for member in members { try remove(member) }
    }

    /// Removes the members that are not among these.
    ///
    /// - Throws: as ``remove(_:)``.
    public func formIntersection(_ members: some Sequence<Element>) throws(GraphError) {
        let kept = Set(members.map(\.objectID))
        let ids = try objectIDs().filter { !kept.contains($0) }
        for id in ids {
            guard let member = owner.owner?.registeredOrFault(id) else { continue }
            try owner.relations.remove(member, from: owner, binding)
        }
    }

    /// Makes exactly these objects the members.
    ///
    /// - Throws: as ``insert(_:)``.
    public func replaceAll(with members: some Sequence<Element>) throws(GraphError) {
        try owner.relations.setMembers(Array(members), of: owner, binding)
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

    /// The IDs of all members; fetches no member.
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

extension ObjectSet: Sequence {
    /// The members at this moment: faults, unless they were fetched before. None where they cannot
    /// be had.
    public func makeIterator() -> AnyIterator<Element> {
        owner.memberIterator(binding)
    }
}

extension ManagedObject {
    final var relations: InverseMaintainer {
        get throws(GraphError) {
            guard let owner else { throw .objectGone(objectID) }
            owner.settle()
            return owner.relations
        }
    }

    /// The members, and a report where they cannot be had.
    final func membersOrNone(_ binding: RelationshipBinding) -> Members {
        checkTurn()
        do throws(GraphError) {
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
                    report(.objectGone(objectID))
                    return nil
                }
                if let member = owner.registeredOrFault(id) as? Element { return member }
            }
            return nil
        }
    }
}
