import CairnModel

/// Relationships by name.
extension ManagedObject {
    /// The IDs that a relationship leads to, in its order where it has one; fetches no object.
    ///
    /// - Throws: `.unknownProperty`, `.wrongType` for what is no relationship, `.objectGone`,
    ///   `.store`, `.wrongThread`.
    public final func objectIDs(
        forRelationshipNamed name: String
    ) throws(GraphError) -> [ObjectID] {
        if let successor { return try successor.objectIDs(forRelationshipNamed: name) }
        let binding = try relationship(name)
        if binding.isToMany { return try readMembers(binding).current }
        return try readDestinationID(binding).map { [$0] } ?? []
    }

    /// Whether something would have to be fetched to follow a relationship: the members' IDs of a
    /// to-many, or the destination of a to-one. Fetches nothing.
    ///
    /// - Throws: `.unknownProperty`, `.wrongType` for what is no relationship, `.objectGone` if the object
    ///   belongs to no context any more, `.wrongThread`.
    public final func hasFault(forRelationshipNamed name: String) throws(GraphError) -> Bool {
        if let successor { return try successor.hasFault(forRelationshipNamed: name) }
        let binding = try relationship(name)
        guard owner != nil else { throw .objectGone(objectID) }
        if binding.isToMany { return knownMembers(binding).isFault }
        guard !isFault else { return true }
        guard let id = try destinationID(binding) else { return false }
        return owner?.registeredObject(for: id)?.isFault ?? true
    }

    /// The members of an unordered to-many, to be changed in place: by Core Data's name.
    ///
    /// - Throws: as ``objects(_:as:)``.
    public final func mutableSetValue(
        forKey key: String
    ) throws(GraphError) -> ObjectSet<ManagedObject> {
        try objects(key)
    }

    /// The members of an ordered to-many, to be changed in place: by Core Data's name.
    ///
    /// - Throws: as ``orderedObjects(_:as:)``.
    public final func mutableOrderedSetValue(
        forKey key: String
    ) throws(GraphError) -> OrderedObjects<ManagedObject> {
        try orderedObjects(key)
    }

    /// Whether a save would write something of the object: values or relationships that are not
    /// transient and not as they were stored. Fires no relationship fault.
    public final var hasPersistentChangedValues: Bool {
        checkTurn()
        if !changedValues().isEmpty { return true }
        return kind.relationships.contains {
            $0.isToMany && !$0.isTransient && knownMembers($0).hasChanges
        }
    }

    /// The members of a to-many, for who may observe them.
    ///
    /// - Throws: `.store`.
    final func readMembers(_ binding: RelationshipBinding) throws(GraphError) -> Members {
        noteRead(of: binding.storage)
        return try loadedMembers(binding)
    }

    /// The ID of a to-one's destination, for who may observe it.
    ///
    /// - Throws: `.objectGone`, `.store`.
    final func readDestinationID(
        _ binding: RelationshipBinding
    ) throws(GraphError) -> ObjectID? {
        noteRead(of: binding.storage)
        return try destinationID(binding)
    }

    /// The objects that the object leads to, as far as they are known and the context has them.
    final var knownNeighbours: [ManagedObject] {
        guard let owner, let overlay else { return [] }
        var ids: [ObjectID] = []
        overlay.forEachID { ids.append($0) }
        return ids.compactMap { owner.identityMap[owner.currentID($0)] }
    }

    private final func relationship(_ name: String) throws(GraphError) -> RelationshipBinding {
        try checkTurn(name)
        guard case .relationship(let binding) = try kind.binding(name) else {
            throw wrongType(name, expected: "a relationship", found: "another property")
        }
        return binding
    }
}
