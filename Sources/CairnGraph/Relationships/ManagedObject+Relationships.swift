import CairnModel

/// Relationships by name.
extension ManagedObject {
    /// Returns the IDs that a relationship leads to, in its order if it has one. Fetches no object.
    ///
    /// - Throws: `.unknownProperty`, `.wrongType` if the property is not a relationship, `.objectGone`,
    ///   `.store`, `.wrongThread`.
    public final func objectIDs(
        forRelationshipNamed name: String
    ) throws(GraphError) -> [ObjectID] {
        if let successor { return try successor.objectIDs(forRelationshipNamed: name) }
        let binding = try relationship(name)
        if binding.isToMany { return try readMembers(binding).current }
        return try readDestinationID(binding).map { [$0] } ?? []
    }

    /// Returns whether following a relationship would have to fetch something: the IDs of a to-many's
    /// members, or the destination of a to-one. Fetches nothing.
    ///
    /// - Throws: `.unknownProperty`, `.wrongType` if the property is not a relationship, `.objectGone`
    ///   if the object no longer belongs to a context, `.wrongThread`.
    public final func hasFault(forRelationshipNamed name: String) throws(GraphError) -> Bool {
        if let successor { return try successor.hasFault(forRelationshipNamed: name) }
        let binding = try relationship(name)
        guard owner != nil else { throw .objectGone(objectID) }
        if binding.isToMany { return knownMembers(binding).isFault }
        guard !isFault else { return true }
        guard let id = try destinationID(binding) else { return false }
        return owner?.registeredObject(for: id)?.isFault ?? true
    }

    /// Returns the members of an unordered to-many relationship. Changes to the result change the
    /// relationship. The same as ``objects(_:as:)``, under Core Data's name.
    ///
    /// - Throws: as ``objects(_:as:)``.
    public final func mutableSetValue(
        forKey key: String
    ) throws(GraphError) -> ObjectSet<ManagedObject> {
        try objects(key)
    }

    /// Returns the members of an ordered to-many relationship. Changes to the result change the
    /// relationship. The same as ``orderedObjects(_:as:)``, under Core Data's name.
    ///
    /// - Throws: as ``orderedObjects(_:as:)``.
    public final func mutableOrderedSetValue(
        forKey key: String
    ) throws(GraphError) -> OrderedObjects<ManagedObject> {
        try orderedObjects(key)
    }

    /// Whether a save would write something of the object: non-transient values or relationships that
    /// differ from the stored ones. Fires no relationship fault.
    public final var hasPersistentChangedValues: Bool {
        checkTurn()
        if !changedValues().isEmpty { return true }
        return kind.relationships.contains {
            $0.isToMany && !$0.isTransient && knownMembers($0).hasChanges
        }
    }

    /// Returns the members of a to-many, and notes the read for observers.
    ///
    /// - Throws: `.store`.
    final func readMembers(_ binding: RelationshipBinding) throws(GraphError) -> MemberIDs {
        noteRead(of: binding.storage)
        return try loadedMembers(binding)
    }

    /// Returns the ID of a to-one's destination, and notes the read for observers.
    ///
    /// - Throws: `.objectGone`, `.store`.
    final func readDestinationID(
        _ binding: RelationshipBinding
    ) throws(GraphError) -> ObjectID? {
        noteRead(of: binding.storage)
        return try destinationID(binding)
    }

    /// The objects that the known relationships of the object lead to and that are registered in the
    /// context.
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
