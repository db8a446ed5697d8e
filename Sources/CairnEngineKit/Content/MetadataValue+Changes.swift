import CairnModel
import CairnStore
import Foundation

extension MetadataValue {
    var list: [MetadataValue]? { if case .array(let values) = self { values } else { nil } }
    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    var text: String? { if case .string(let text) = self { text } else { nil } }
    var data: Data? { if case .data(let data) = self { data } else { nil } }
}

extension MetadataValue {
    /// Encodes a deletion: the name of the root entity, and the key.
    init?(_ id: ObjectID, in model: ManagedObjectModel) {
        guard let root = model.entity(numbered: id.rootEntity) else { return nil }
        self = .array([.string(root.name), .integer(id.key)])
    }

    /// Decodes a deletion and returns its object.
    func objectID(in content: StoreContent) -> ObjectID? {
        guard let list, list.count == 2, let name = list[0].text, let key = list[1].integer,
            let root = content.layouts.model.entity(named: name)
        else { return nil }
        return content.id(key, of: root)
    }

    /// Encodes the change of a pair: the kind, the relationship, both keys, and both order keys.
    init(_ change: PairChange) {
        let kinds: [PairChange.Kind: Int64] = [.insert: 0, .delete: 1, .reorder: 2]
        let orderKeys = [change.orderKey, change.inverseOrderKey]
        self = .array(
            [
                .integer(kinds[change.kind] ?? 0), .string(change.relationship.entity.name),
                .string(change.relationship.name), .integer(change.owner.key),
                .integer(change.member.key),
            ] + orderKeys.map { $0.map(MetadataValue.integer) ?? .array([]) })
    }

    /// Decodes the change of a pair.
    func pairChange(in content: StoreContent) -> PairChange? {
        guard let list, list.count == 7, let kind = list[0].integer, let entity = list[1].text,
            let name = list[2].text, let owner = list[3].integer, let member = list[4].integer,
            let kind = [0: PairChange.Kind.insert, 1: .delete, 2: .reorder][kind],
            let relationship = content.layouts.model.entity(named: entity)?.relationship(
                named: name)
        else { return nil }
        return PairChange(
            kind, relationship, owner: content.id(owner, of: relationship.entity),
            member: content.id(member, of: relationship.destination),
            orderKey: list[5].integer, inverseOrderKey: list[6].integer)
    }
}
