import CairnModel
import CairnRows

/// Assigns numbers to the indexes, pair tables and member orders that a model needs.
struct TableSchemaBuilder {
    private let layouts: RowLayouts
    private(set) var plans: [EntityPlan]
    private(set) var constraints: [UniquenessIndex] = []
    private(set) var indexCount = 0
    private(set) var pairTableCount = 0
    private(set) var memberOrderCount = 0
    private(set) var attributeIndexes: [PropertyKey: Int] = [:]
    private(set) var memberIndexes: [PropertyKey: MemberIndexes] = [:]

    init(_ layouts: RowLayouts) {
        self.layouts = layouts
        plans = layouts.model.entities.map {
            EntityPlan(
                rootEntity: $0.rootEntity.number,
                externalSlots: layouts.layout(of: $0).slots.filter {
                    $0.kind == .externalBinary
                })
        }
    }

    mutating func addAll() {
        for entity in layouts.model.entities {
            for property in entity.ownProperties {
                if case .relationship(let relationship) = property { add(relationship) }
            }
            for constraint in entity.description.uniquenessConstraints {
                addConstraint(constraint, of: entity)
            }
            for attribute in entity.indexedAttributes { addIndex(of: attribute) }
        }
    }

    private mutating func add(_ relationship: Relationship) {
        guard relationship.isToMany, !relationship.isTransient else { return }
        if let pairs = PairRelationship(relationship) {
            add(pairs)
        } else if !relationship.isManyToMany, let inverse = relationship.inverse {
            addMembers(relationship, inverse: inverse)
        }
    }

    private mutating func add(_ pairs: PairRelationship) {
        let table = pairTableCount
        pairTableCount += 1
        for side in pairs.sides {
            memberIndexes[PropertyKey(side.relationship)] = .pairs(
                table: table, isForward: side.isForward, isSymmetric: pairs.isSymmetric)
        }
        for entity in pairs.ownerEntities {
            plans[entity.number.index].ownedPairTables.append(table)
        }
        for entity in pairs.memberEntities {
            plans[entity.number.index].memberPairTables.append(table)
        }
    }

    private mutating func addMembers(_ relationship: Relationship, inverse: Relationship) {
        var order: Int?
        if relationship.isOrdered {
            order = memberOrderCount
            memberOrderCount += 1
        }
        memberIndexes[PropertyKey(relationship)] = .members(index: indexCount, order: order)
        for entity in inverse.entity.hierarchy {
            guard let slot = layouts.layout(of: entity).slot(named: inverse.name) else { continue }
            plans[entity.number.index].indexes.append(
                EntityIndex(index: indexCount, code: .destination(slot)))
            if let order {
                plans[entity.number.index].memberOrders.append(
                    MemberOrderPlan(order: order, owner: slot))
            }
        }
        indexCount += 1
    }

    private mutating func addConstraint(_ properties: [String], of entity: Entity) {
        guard let unique = UniqueProperties(properties, of: entity, layouts) else { return }
        for entity in entity.hierarchy {
            guard let slots = unique.slots(in: entity.number) else { continue }
            plans[entity.number.index].indexes.append(
                EntityIndex(index: indexCount, code: .hash(slots)))
        }
        constraints.append(UniquenessIndex(properties: unique, index: indexCount))
        indexCount += 1
    }

    private mutating func addIndex(of attribute: Attribute) {
        let name = PropertyKey(attribute)
        guard attributeIndexes[name] == nil,
            let slot = layouts.layout(of: attribute.entity).slot(named: attribute.name),
            IndexCode.exists(for: slot.kind)
        else { return }
        for entity in attribute.entity.hierarchy {
            guard let slot = layouts.layout(of: entity).slot(named: attribute.name) else {
                continue
            }
            plans[entity.number.index].indexes.append(
                EntityIndex(index: indexCount, code: .ordered(slot)))
        }
        attributeIndexes[name] = indexCount
        indexCount += 1
    }
}

extension Entity {
    /// The attributes for which the model requests an index: those with the indexed flag, and the
    /// first of each index and uniqueness constraint.
    fileprivate var indexedAttributes: [Attribute] {
        let firsts = description.fetchIndexes.compactMap { index -> String? in
            guard let element = index.elements.first, element.type == .binary,
                case .property(let name) = element.target
            else { return nil }
            return name
        }
        let names =
            firsts
            + (description.compoundIndexes + description.uniquenessConstraints)
            .compactMap(\.first)
        return names.compactMap(attribute(named:))
            + attributes.filter { $0.entity == self && $0.description.isIndexed }
    }
}
