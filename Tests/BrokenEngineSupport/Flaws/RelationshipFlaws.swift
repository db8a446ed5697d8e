import CairnModel
import CairnRows
import CairnStore

extension Flaw {
    static let ofRelationships: [Flaw] = [
        Flaw("forgets the last ordered move") {
            $0.requested = { (request, _) in
                let last = request.pairs.lastIndex { $0.kind == .reorder }
                if let last { request.pairs.remove(at: last) }
            }
        },
        Flaw("forgets pairs that are deleted") {
            $0.requested = { (request, _) in request.pairs.removeAll { $0.kind == .delete } }
        },
        Flaw("finds many-to-many from one side only") {
            $0.related = { related, relationship in
                guard relationship.isManyToMany, !relationship.ownsPairs else { return related }
                return related.mapped { _ in [] }
            }
        },
        Flaw("gives ordered members by key") {
            $0.related = { related, relationship in
                guard relationship.isOrdered else { return related }
                return related.mapped { $0.sorted { $0.member.key < $1.member.key } }
            }
        },
        Flaw("gives members without an owner to the next one") {
            $0.related = { related, _ in
                var compact = RelatedIDs()
                for index in 0..<related.count where !related.range(ofOwnerAt: index).isEmpty {
                    for position in related.range(ofOwnerAt: index) {
                        compact.append(
                            related.members[position],
                            orderKey: related.orderKeys.isEmpty ? nil : related.orderKeys[position])
                    }
                    compact.endOwner()
                }
                while compact.count < related.count { compact.endOwner() }
                return compact
            }
        },
        Flaw("loses to-ones") {
            $0.requested = { (request, packing) in
                request.inserted = packing.changed(request.inserted) { value in
                    if case .objectID = value { .null } else { value }
                }
            }
        },
        Flaw("makes up the objects that pairs name") {
            $0.requested = { (request, packing) throws(StoreError) in
                var writer = RowWriter(store: packing.store.number)
                for pair in request.pairs where pair.kind == .insert {
                    guard pair.relationship.name == "genres",
                        try packing.stored(pair.member) == nil,
                        !request.inserted.ids.contains(pair.member),
                        let layout = packing.layouts.layout(of: pair.member.entity)
                    else { continue }
                    writer.begin(layout, key: pair.member.key, version: 1)
                    writer.endRow()
                }
                request.inserted.append(writer.takeBatch())
            }
        },
        Flaw("takes owners of other stores for its own") {
            $0.owners = { ids, packing in
                ids.map { id in
                    ObjectID(
                        store: packing.store.number, rootEntity: id.rootEntity, entity: id.entity,
                        key: id.key)
                }
            }
        },
        Flaw("knows owners by their keys alone") {
            $0.owners = { ids, _ in
                guard let last = ids.last else { return ids }
                return ids.map { id in
                    ObjectID(
                        store: id.store, rootEntity: last.rootEntity, entity: last.entity,
                        key: id.key)
                }
            }
        },
        Flaw("finds members only under the owner's concrete entity") {
            $0.owners = { ids, packing in
                ids.map { id in
                    let row = try? packing.stored(id)
                    if row?.entity == id.entity { return id }
                    return ObjectID(
                        store: id.store, rootEntity: id.rootEntity, entity: id.entity, key: -1)
                }
            }
        },
    ]
}

extension RelatedIDs {
    /// Returns the same owners with different members.
    func mapped(
        _ change: ([(member: ObjectID, orderKey: Int64?)]) -> [(member: ObjectID, orderKey: Int64?)]
    ) -> RelatedIDs {
        var result = RelatedIDs()
        for index in 0..<count {
            let old = range(ofOwnerAt: index).map { position in
                (member: members[position], orderKey: orderKeys.isEmpty ? nil : orderKeys[position])
            }
            for (member, orderKey) in change(old) { result.append(member, orderKey: orderKey) }
            result.endOwner()
        }
        return result
    }
}
