import CairnModel
import CairnStore

/// Checks pairs of one relationship that a codec has read: a save only writes pairs that pass.
package struct PairCheck: Sendable {
    /// The objects that may be on one side of the relationship.
    private struct Side: Sendable {
        let root: EntityNumber
        let entities: Range<EntityNumber>

        /// If an inverse is declared above the destination, all entities below its entity are
        /// allowed.
        init(_ entity: Entity, or other: Entity?) {
            root = entity.rootEntity.number
            let (own, others) = (entity.hierarchyNumbers, (other ?? entity).hierarchyNumbers)
            entities =
                min(own.lowerBound, others.lowerBound)..<max(own.upperBound, others.upperBound)
        }
    }

    private let name: String
    private let owners: Side
    private let members: Side

    /// Resolves a relationship. Returns `nil` if the table keeps no pairs of it.
    package init?(_ relationship: Relationship, in schema: TableSchema) {
        guard schema.memberIndexes(of: relationship) != nil else { return nil }
        name = "\(relationship.entity.name).\(relationship.name)"
        owners = Side(relationship.entity, or: relationship.inverse?.destination)
        members = Side(relationship.destination, or: relationship.inverse?.entity)
    }

    /// Says why the IDs of a pair cannot be what was saved. Returns `nil` if they can.
    fileprivate func fault(of pair: PairChange) -> String? {
        for (id, side) in [(pair.owner, owners), (pair.member, members)] {
            if id.key < 1 { return "a pair of “\(name)” names the key \(id.key)" }
            if id.rootEntity != side.root { return wrongEntity }
        }
        return nil
    }

    /// Says why objects of those entities cannot be a pair. Returns `nil` if they can.
    fileprivate func fault(owner: EntityNumber, member: EntityNumber) -> String? {
        owners.entities.contains(owner) && members.entities.contains(member) ? nil : wrongEntity
    }

    private var wrongEntity: String { "a pair of “\(name)” names an object of another entity" }
}

extension StoreTable {
    /// Adds a pair that a codec has read. Has no effect if one of the two objects has no row.
    ///
    /// - Returns: why the pair cannot be what was saved, and is not added; `nil` if it can be.
    package mutating func add(_ pair: PairChange, checkedBy check: PairCheck) -> String? {
        if let fault = check.fault(of: pair) { return fault }
        guard let owner = row(root: pair.owner.rootEntity, key: pair.owner.key),
            let member = row(root: pair.member.rootEntity, key: pair.member.key)
        else { return nil }
        if let fault = check.fault(owner: owner.entity, member: member.entity) { return fault }
        apply(pair, to: member)
        return nil
    }
}
