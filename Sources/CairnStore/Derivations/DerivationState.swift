import CairnModel

/// One state of a store as derived attributes are computed in it: before a save, or what the save
/// has made so far.
public protocol DerivationState: RowResolver {
    /// Returns the members of a to-many relationship of all these owners together.
    ///
    /// An owner that has no row has no members.
    func members(
        of relationship: Relationship, ofOwners owners: Set<ObjectID>
    ) throws(StoreError) -> Set<ObjectID>

    /// Returns every object of the entity's hierarchy; the concrete entity in the IDs may be wrong.
    func objects(of entity: Entity) throws(StoreError) -> Set<ObjectID>
}

extension DerivationState {
    /// Asks for the members of one owner after the other.
    public func members(
        of relationship: Relationship, ofOwners owners: Set<ObjectID>
    ) throws(StoreError) -> Set<ObjectID> {
        var found: Set<ObjectID> = []
        for row in try rows(for: Array(owners)) {
            if let row { found.formUnion(try members(of: relationship, in: row)) }
        }
        return found
    }
}
