import CairnModel
import CairnRows
import CairnStore

extension BrokenReferences {
    /// Checks that relationships that must have members keep enough of them, if the save takes members away
    /// from objects that it does not change. Others may have taken other members away.
    mutating func checkMinimums() throws(StoreError) {
        guard rules.hasMinimums else { return }
        let losses = try lossesOfMembers()
        var questions: [RelatedQuestion] = []
        for relationship in losses.keys.sorted(by: Self.precedes) {
            let owners = losses[relationship, default: [:]].keys.sorted { $0.precedes($1) }
            questions.append(RelatedQuestion(relationship, of: owners))
        }
        guard !questions.isEmpty else { return }
        let gains = gainsOfMembers(among: Set(losses.keys))
        for (question, related) in zip(questions, try stored.related(questions)) {
            let relationship = question.relationship
            for (index, owner) in question.owners.enumerated() {
                let gone = losses[relationship]?[owner] ?? []
                var members = Set(related.members[related.range(ofOwnerAt: index)])
                members.subtract(gone)
                members.formUnion(gains[relationship]?[owner] ?? [])
                let isEmptyAndMayBe = members.isEmpty && relationship.isOptional
                if members.count < relationship.description.minimumCount, !isEmptyAndMayBe {
                    for member in gone.sorted(by: { $0.precedes($1) }) {
                        found.report(.tooFewMembers, owner, relationship, member)
                    }
                }
            }
        }
    }

    private typealias Members = [Relationship: [ObjectID: Set<ObjectID>]]

    private static func precedes(_ left: Relationship, _ right: Relationship) -> Bool {
        (left.entity.number, left.name) < (right.entity.number, right.name)
    }

    /// Returns the members that leave each owner that stays.
    private func lossesOfMembers() throws(StoreError) -> Members {
        var losses: Members = [:]
        func lose(_ member: ObjectID, from owner: ObjectID, _ relationship: Relationship) {
            guard !stored.deleted.contains(owner) else { return }
            losses[relationship, default: [:]][owner, default: []].insert(member)
        }
        let leaving =
            request.deleted.map { ($0.id, SlotSet?.none) }
            + request.updated.map { ($0.row.id, SlotSet?.some($0.changedSlots)) }
        let concerned = leaving.filter { id, changed in
            rules.references(of: id.entity).contains { reference in
                reference.inverseNeedsMembers
                    && changed?.contains(Int(reference.slot.index)) ?? true
            }
        }
        try stored.readFormer(concerned.map(\.0))
        for (id, changed) in concerned {
            guard let row = try stored.formerRow(of: id) else { continue }
            for reference in rules.references(of: row.entity)
            where reference.inverseNeedsMembers && !row.isNull(reference.slot)
                && changed?.contains(Int(reference.slot.index)) ?? true
            {
                lose(id, from: row.objectID(reference.slot), reference.inverse)
            }
        }
        for (entity, ids) in Dictionary(grouping: request.deleted.map(\.id), by: \.entity) {
            for relationship in rules.pairings(of: entity) {
                guard let inverse = relationship.inverse else { continue }
                let related = try stored.related([RelatedQuestion(relationship, of: ids)])[0]
                for (index, id) in ids.enumerated() {
                    for owner in related.members[related.range(ofOwnerAt: index)] {
                        lose(id, from: owner, inverse)
                    }
                }
            }
        }
        return losses
    }

    /// Returns the members that the save adds to relationships.
    private func gainsOfMembers(among relationships: Set<Relationship>) -> Members {
        var gains: Members = [:]
        for row in request.inserted.rows + request.updated.map(\.row) {
            for reference in rules.references(of: row.entity)
            where !row.isNull(reference.slot) && relationships.contains(reference.inverse) {
                gains[reference.inverse, default: [:]][row.objectID(reference.slot), default: []]
                    .insert(row.id)
            }
        }
        for pair in request.pairs where pair.kind == .insert {
            if relationships.contains(pair.relationship) {
                gains[pair.relationship, default: [:]][pair.owner, default: []].insert(pair.member)
            }
            if let inverse = pair.relationship.inverse, relationships.contains(inverse) {
                gains[inverse, default: [:]][pair.member, default: []].insert(pair.owner)
            }
        }
        return gains
    }
}
