import CairnModel
import CairnStack

/// Access to relationships by name.
extension ManagedObject {
    /// Returns the IDs of a relationship's destinations, in the relationship's order if it has one.
    /// Fetches no objects.
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

    /// Returns whether following a relationship would have to fetch something: the IDs of a to-many
    /// relationship's members, or the destination of a to-one relationship. Fetches nothing.
    ///
    /// - Throws: `.unknownProperty`, `.wrongType` if the property is not a relationship, `.objectGone`
    ///   if the object no longer belongs to a context, `.wrongThread`.
    public final func hasFault(forRelationshipNamed name: String) throws(GraphError) -> Bool {
        if let successor { return try successor.hasFault(forRelationshipNamed: name) }
        let binding = try relationship(name)
        guard owner != nil else { throw .objectGone(objectID, absence) }
        if binding.isToMany { return knownMembers(binding).isFault }
        guard !isFault else { return true }
        guard let id = try destinationID(binding) else { return false }
        return owner?.registeredObject(for: id)?.isFault ?? true
    }

    /// Returns the members of an unordered to-many relationship. Changes to the result change the
    /// relationship. This is ``objects(_:as:)`` under Core Data's name.
    ///
    /// - Throws: The same errors as ``objects(_:as:)``.
    public final func mutableSetValue(
        forKey key: String
    ) throws(GraphError) -> ObjectSet<ManagedObject> {
        try objects(key)
    }

    /// Returns the members of an ordered to-many relationship. Changes to the result change the
    /// relationship. This is ``orderedObjects(_:as:)`` under Core Data's name.
    ///
    /// - Throws: The same errors as ``orderedObjects(_:as:)``.
    public final func mutableOrderedSetValue(
        forKey key: String
    ) throws(GraphError) -> OrderedObjects<ManagedObject> {
        try orderedObjects(key)
    }

    /// Whether a save would write anything of the object: values or relationships that are not transient
    /// and differ from the stored ones, or all of it in another store. Does not fire relationship faults.
    public final var hasPersistentChangedValues: Bool {
        checkTurn()
        if !changedValues().isEmpty || owner?.isMoving(self) == true { return true }
        return kind.relationships.contains {
            $0.isToMany && !$0.isTransient && knownMembers($0).hasChanges
        }
    }

    /// Returns the members of a to-many relationship, and notes the read for observers.
    ///
    /// - Throws: `.store`.
    final func readMembers(_ binding: RelationshipBinding) throws(GraphError) -> MemberIDs {
        noteRead(of: binding.storage)
        return try loadedMembers(binding)
    }

    /// Returns the ID of a to-one relationship's destination, and notes the read for observers.
    ///
    /// - Throws: `.objectGone`, `.store`.
    package final func readDestinationID(
        _ binding: RelationshipBinding
    ) throws(GraphError) -> ObjectID? {
        noteRead(of: binding.storage)
        return try destinationID(binding)
    }

    /// The objects, registered in the context, that the object's known relationships lead to.
    final var knownNeighbours: [ManagedObject] {
        guard let owner, let overlay else { return [] }
        var ids: [ObjectID] = []
        overlay.forEachID { ids.append($0) }
        return ids.compactMap { owner.identityMap[owner.currentID($0)] }
    }

    private final func relationship(_ name: String) throws(GraphError) -> RelationshipBinding {
        try checkTurn(name)
        guard case .relationship(let binding) = try kind.binding(name) else {
            throw wrongType(name, expected: "a relationship", found: "a property that is not one")
        }
        return binding
    }
}
