import CairnEngineKit
import CairnModel
import CairnStore

/// Checks the pairs of one relationship that a codec has read. Every pair that a save writes passes
/// the check.
package struct PairCheck: Sendable {
    /// The objects that may be on one side of the relationship.
    private struct Side: Sendable {
        let root: EntityNumber
        let entities: Range<EntityNumber>

        /// If an inverse is declared by a superentity of the destination, all entities below that
        /// superentity are allowed.
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

    /// Returns why the IDs of a pair cannot have been saved, or `nil` if they are valid.
    fileprivate func fault(of pair: PairChange) -> String? {
        for (id, side) in [(pair.owner, owners), (pair.member, members)] {
            if id.key < 1 {
                return "a pair of “\(name)” contains the key \(id.key), which is not greater than 0"
            }
            if id.rootEntity != side.root { return wrongEntity }
        }
        return nil
    }

    /// Returns why objects of these entities cannot be a pair, or `nil` if they can.
    fileprivate func fault(owner: EntityNumber, member: EntityNumber) -> String? {
        owners.entities.contains(owner) && members.entities.contains(member) ? nil : wrongEntity
    }

    private var wrongEntity: String { "a pair of “\(name)” contains an object of another entity" }
}

extension StoreTable {
    /// Adds a pair that a codec has read. Has no effect if one of the two objects has no row.
    ///
    /// - Returns: the reason if the pair cannot have been saved. The pair is not added then. `nil`
    ///   if the pair is valid.
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
