import CairnModel
import CairnStore

/// Numbers the indexes, pair tables and member orders that a model needs.
struct TableSchemaBuilder {
    private let layouts: RowLayouts
    private(set) var plans: [EntityPlan]
    private(set) var constraints: [UniquenessIndex] = []
    private(set) var indexCount = 0
    private(set) var pairTableCount = 0
    private(set) var memberOrderCount = 0
    private(set) var attributeIndexes: [PropertyName: Int] = [:]
    private(set) var places: [PropertyName: MemberIndexes] = [:]

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
        if relationship.isManyToMany {
            if relationship.ownsPairs { addPairs(relationship) }
        } else if let inverse = relationship.inverse {
            addMembers(relationship, inverse: inverse)
        }
    }

    private mutating func addPairs(_ relationship: Relationship) {
        let table = pairTableCount
        pairTableCount += 1
        let inverse = relationship.inverse
        let isSymmetric = inverse == relationship
        places[PropertyName(relationship)] =
            .pairs(table: table, isForward: true, isSymmetric: isSymmetric)
        if let inverse, !isSymmetric {
            places[PropertyName(inverse)] =
                .pairs(table: table, isForward: false, isSymmetric: false)
        }
        for entity in relationship.entity.hierarchy {
            plans[entity.number.index].ownedPairTables.append(table)
        }
        // A member's table is found by its root: an inverse may be declared above it.
        for entity in relationship.destination.rootEntity.hierarchy {
            plans[entity.number.index].memberPairTables.append(table)
        }
    }

    private mutating func addMembers(_ relationship: Relationship, inverse: Relationship) {
        var order: Int?
        if relationship.isOrdered {
            order = memberOrderCount
            memberOrderCount += 1
        }
        places[PropertyName(relationship)] = .members(index: indexCount, order: order)
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
        let slots = entity.hierarchy.map { entity in
            properties.compactMap(layouts.layout(of: entity).slot(named:))
        }
        // A constraint over a property that no row holds cannot be broken by rows.
        guard !properties.isEmpty, slots[0].count == properties.count else { return }
        for (entity, slots) in zip(entity.hierarchy, slots) {
            plans[entity.number.index].indexes.append(
                EntityIndex(index: indexCount, code: .hash(slots)))
        }
        constraints.append(
            UniquenessIndex(
                entity: entity.name, properties: properties, index: indexCount, slots: slots,
                firstEntity: entity.number))
        indexCount += 1
    }

    private mutating func addIndex(of attribute: Attribute) {
        let name = PropertyName(attribute)
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
    /// The attributes by which the model wants its objects found: those flagged, and the first of
    /// each index and uniqueness constraint.
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
