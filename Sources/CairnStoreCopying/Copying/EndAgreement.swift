import CairnModel
import CairnRows
import CairnStore

extension CopiedContents {
    private typealias Pair = (owner: ObjectID, member: ObjectID)

    /// Checks that two relationships of the old model have the same pairs, because they became each
    /// other's inverse. Reads both relationships once or twice, a batch at a time.
    ///
    /// - Throws: `.migrationRefused` if a destination does not lead back; the errors of the snapshot.
    func requireAgreement(of ends: ModelCorrespondence.JoinedEnds) throws(StoreError) {
        var (there, back) = (0, 0)
        try forEachPairs(of: ends.near) { (pairs) throws(StoreError) in
            let pairs = pairs.filter { Self.mayHave(ends.far, $0.member) }
            there += pairs.count
            let found = try members(ends.far, of: pairs.map(\.member))
            let isMutual = pairs.allSatisfy { found[$0.member]?.contains($0.owner) ?? false }
            guard isMutual else { throw Self.disagreement(of: ends, from: ends.near) }
        }
        // Each pair of a relationship with itself has been looked up in both directions.
        guard ends.near != ends.far else { return }
        try forEachPairs(of: ends.far) { (pairs) throws(StoreError) in
            back += pairs.count { Self.mayHave(ends.near, $0.member) }
        }
        guard there == back else { throw Self.disagreement(of: ends, from: ends.far) }
    }

    private static func disagreement(
        of ends: ModelCorrespondence.JoinedEnds, from end: Relationship
    ) -> StoreError {
        let other = end == ends.near ? ends.far : ends.near
        return .migrationRefused(
            StoreLocation.memory("a copy"),
            findings: [
                InferenceFinding(
                    ends.relationship.entity.name, ends.relationship.name,
                    "its inverse is now “\(ends.relationship.inverse?.name ?? "")”, but the store"
                        + " contains objects whose “\(end.name)” leads to objects whose “\(other.name)”"
                        + " does not lead back; set or remove both with the old version of the model, or"
                        + " give the inverse another name")
            ])
    }

    /// Returns whether an object may have a relationship. The root entity in an ID stands for any entity
    /// of its hierarchy.
    private static func mayHave(_ relationship: Relationship, _ id: ObjectID) -> Bool {
        let entity = relationship.entity
        return id.rootEntity == entity.rootEntity.number
            && (id.entity == id.rootEntity || entity.hierarchyNumbers.contains(id.entity))
    }

    // MARK: Reading

    /// Calls the body with the pairs of a relationship of the old model, at most as many at a time as one
    /// save takes.
    private func forEachPairs(
        of relationship: Relationship, _ body: ([Pair]) throws(StoreError) -> Void
    ) throws(StoreError) {
        let output: FetchPlan.Output = relationship.isToMany ? .ids : .rows
        let cursor = try snapshot.cursor(FetchPlan(entity: relationship.entity, output: output))
        while let batch = try cursor.next(atMost: BatchSize.ownerCount) {
            guard relationship.isToMany else {
                try body(destinations(of: relationship, in: batch))
                continue
            }
            let ids = batch.ids
            let related = try snapshot.relatedIDs(relationship, of: ids)
            var pairs: [Pair] = []
            for (index, owner) in ids.enumerated() where index < related.count {
                for member in related.range(ofOwnerAt: index) {
                    pairs.append((owner, related.members[member]))
                    if pairs.count == BatchSize.pairCount {
                        try body(pairs)
                        pairs.removeAll(keepingCapacity: true)
                    }
                }
            }
            if !pairs.isEmpty { try body(pairs) }
        }
    }

    private func destinations(of toOne: Relationship, in rows: RowBatch) -> [Pair] {
        rows.rows.compactMap { row in
            guard let slot = mapping.old.layout(of: row.entity)?.slot(named: toOne.name),
                !row.isNull(slot)
            else { return nil }
            return (row.id, row.objectID(slot))
        }
    }

    /// Returns the members that objects have in a relationship of the old model.
    private func members(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(StoreError) -> [ObjectID: Set<ObjectID>] {
        var found: [ObjectID: Set<ObjectID>] = [:]
        let owners = Array(Set(ids))
        guard relationship.isToMany else {
            for (owner, member) in destinations(
                of: relationship, in: try snapshot.rows(for: owners))
            {
                found[owner] = [member]
            }
            return found
        }
        let related = try snapshot.relatedIDs(relationship, of: owners)
        for (index, owner) in owners.enumerated() where index < related.count {
            found[owner] = Set(related.range(ofOwnerAt: index).map { related.members[$0] })
        }
        return found
    }
}
