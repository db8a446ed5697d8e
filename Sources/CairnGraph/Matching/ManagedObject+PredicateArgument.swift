import CairnModel

/// `author == %@`, `SELF == %@`, `ANY books == %@`, `%@ IN books`.
extension ManagedObject: PredicateArgument {
    /// The object's identity: compares with relationships and with `SELF`.
    ///
    /// The predicate keeps the object's ID. In the object's own context, it still means the same object
    /// after a save has given the object another ID. An object is not equal to anything in other
    /// stores, or to anything where objects of other entities are expected.
    public final var predicateExpression: FetchExpression {
        // The owner of another turn is left alone: nothing is known of its IDs here.
        if objectID.isTemporary, let owner, owner.queue.isCurrent {
            owner.replacedIDs.noteInPredicate(objectID)
        }
        return .constant(.objectID(objectID))
    }
}

extension ObjectSet: PredicateArgument, RelationshipMembers {
    /// The members at this moment as a list, in no particular order: what `IN` takes. Empty if they
    /// cannot be fetched. Fetches no member.
    public var predicateExpression: FetchExpression { owner.members(of: binding) }

    func expression() throws(GraphError) -> FetchExpression { try owner.list(of: binding) }
}

extension OrderedObjects: PredicateArgument, RelationshipMembers {
    /// The members at this moment as a list, in their order: what `IN` takes. Empty if they cannot be
    /// fetched. Fetches no member.
    public var predicateExpression: FetchExpression { owner.members(of: binding) }

    func expression() throws(GraphError) -> FetchExpression { try owner.list(of: binding) }
}

extension FetchResults: PredicateArgument {
    /// The matches as a list, in their order: what `IN` takes. Makes no object.
    public var predicateExpression: FetchExpression { .list(objectIDs.map(\.predicateExpression)) }
}

extension ManagedObject {
    /// The members as a list, and a report if they cannot be had.
    fileprivate final func members(of binding: RelationshipBinding) -> FetchExpression {
        list(membersOrNone(binding).current)
    }

    /// - Throws: `.store`.
    fileprivate final func list(
        of binding: RelationshipBinding
    ) throws(GraphError) -> FetchExpression {
        list(try readMembers(binding).current)
    }

    private final func list(_ ids: [ObjectID]) -> FetchExpression {
        for id in ids { owner?.replacedIDs.noteInPredicate(id) }
        return .list(ids.map(\.predicateExpression))
    }
}
