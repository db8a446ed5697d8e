import CairnModel
import CairnStack

/// Supports predicates such as `author == %@`, `SELF == %@`, `ANY books == %@` and `%@ IN books`.
extension ManagedObject: PredicateArgument {
    /// The object's identity, for comparison with relationships and with `SELF`.
    ///
    /// The predicate contains the object's ID. In the object's own context, the predicate still refers
    /// to the same object after a save has given the object another ID. An object is not equal to any
    /// object in other stores, and not equal to anything where objects of other entities are expected.
    public final var _predicateExpression: FetchExpression {
        // A context in another turn must not be accessed. Its IDs are unknown here.
        if objectID.isTemporary, let owner, owner.queue.isCurrent {
            owner.replacedIDs.noteInPredicate(objectID)
        }
        return .constant(.objectID(objectID))
    }
}

extension ObjectSet: PredicateArgument, RelationshipMembers {
    /// The current members as a list, in no particular order, for use with `IN`. Empty if the members
    /// cannot be fetched. Does not fetch the members' values.
    public var _predicateExpression: FetchExpression { owner.members(of: binding) }

    func expression() throws(GraphError) -> FetchExpression { try owner.list(of: binding) }
}

extension OrderedObjects: PredicateArgument, RelationshipMembers {
    /// The current members as a list, in their order, for use with `IN`. Empty if the members cannot be
    /// fetched. Does not fetch the members' values.
    public var _predicateExpression: FetchExpression { owner.members(of: binding) }

    func expression() throws(GraphError) -> FetchExpression { try owner.list(of: binding) }
}

extension FetchResults: PredicateArgument {
    /// The matches as a list, in their order, for use with `IN`. Creates no objects.
    public var _predicateExpression: FetchExpression {
        .list(objectIDs.map(\._predicateExpression))
    }
}

extension ManagedObject {
    /// Returns the members as a list. Reports an error and returns an empty list if they cannot be
    /// fetched.
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
        return .list(ids.map(\._predicateExpression))
    }
}
