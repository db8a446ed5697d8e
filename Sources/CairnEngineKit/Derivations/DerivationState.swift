import CairnModel
import CairnStore

/// The state of a store in which derived attributes are computed: the state before a save, or the
/// save's result so far.
public protocol DerivationState: RowResolver {
    /// Returns the members of a to-many relationship of all given owners together.
    ///
    /// An owner without a row has no members.
    func members(
        of relationship: Relationship, ofOwners owners: Set<ObjectID>
    ) throws(StoreError) -> Set<ObjectID>

    /// Returns every object of the entity's hierarchy. The concrete entity in the IDs may be wrong.
    func objects(of entity: Entity) throws(StoreError) -> Set<ObjectID>
}

extension DerivationState {
    /// Collects the members of one owner after the other.
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
