import CairnModel

/// `author == %@`, `SELF == %@`, `ANY books == %@`, `%@ IN books`.
extension ManagedObject: PredicateArgument {
    /// The object's identity: compares with relationships and with `SELF`.
    ///
    /// An object that was not saved yet is meant after its save too, in its own context and the
    /// parents and children of that. In other stores than its own, and as a destination of another
    /// entity, an object equals nothing.
    public final var predicateExpression: FetchExpression {
        // The owner of another turn is left alone: nothing is known of its IDs here.
        if objectID.isTemporary, let owner, owner.queue.isCurrent {
            owner.noteInPredicate(objectID)
        }
        return .constant(.objectID(objectID))
    }
}

extension ObjectSet: PredicateArgument {
    /// The members at this moment as a list, in no particular order: what `IN` takes. Empty if they
    /// cannot be fetched. Fetches no member.
    public var predicateExpression: FetchExpression { owner.memberList(binding) }
}

extension OrderedObjects: PredicateArgument {
    /// The members at this moment as a list, in their order: what `IN` takes. Empty if they cannot be
    /// fetched. Fetches no member.
    public var predicateExpression: FetchExpression { owner.memberList(binding) }
}

extension FetchResults: PredicateArgument {
    /// The matches as a list, in their order: what `IN` takes. Makes no object.
    public var predicateExpression: FetchExpression { .list(objectIDs.map(\.predicateExpression)) }
}

extension ManagedObject {
    fileprivate final func memberList(_ binding: RelationshipBinding) -> FetchExpression {
        let ids = membersOrNone(binding).current
        for id in ids where id.isTemporary { owner?.noteInPredicate(id) }
        return .list(ids.map(\.predicateExpression))
    }
}

extension ManagedObjectContext {
    /// Returns a predicate with the IDs that objects have now which were not saved when it was made.
    func current(_ predicate: FetchPredicate) -> FetchPredicate {
        guard predicate.hasTemporaryIDs else { return predicate }
        // A save that is under way has IDs to tell, and so may the parent.
        settle()
        readNewIDs()
        return replacedIDs.isEmpty ? predicate : predicate.replacingIDs(currentID)
    }
}
