import CairnModel
import CairnRows
import CairnStore

/// Finds out how the rows of a mapping model are made.
struct MappingRowsBuilder {
    private let mapping: ResolvedMapping
    private let keys: KeyOffsets
    private let old: RowLayouts
    private let new: RowLayouts
    private(set) var successors: [ObjectSuccessors] = []
    private var successorIndices: [[Int]: Int] = [:]
    private(set) var paths: [[RowPath]]
    private var linked: [Relationship] = []

    init(
        _ mapping: ResolvedMapping, _ keys: KeyOffsets, from old: RowLayouts, to new: RowLayouts
    ) {
        self.mapping = mapping
        self.keys = keys
        self.old = old
        self.new = new
        paths = old.model.entities.map { _ in [] }
    }

    // MARK: Successors

    /// Returns the index of the table of the objects that some rules create.
    private mutating func successorIndex(of rules: [Int]) -> Int {
        if let known = successorIndices[rules] { return known }
        let table = ObjectSuccessors(
            old.model.entities.map { entity in
                let rule = rules.first {
                    mapping.rules[$0].source == entity && mapping.rules[$0].policy == nil
                }
                return (
                    rule.map { mapping.rules[$0].destination }, rule.map { keys.offsets[$0] } ?? 0
                )
            })
        successors.append(table)
        successorIndices[rules] = successors.count - 1
        return successors.count - 1
    }

    // MARK: Rows

    /// Returns the mapping of rows by the rule with this index.
    mutating func rowMapping(_ index: Int) -> RowMapping {
        let rule = mapping.rules[index]
        let layouts = (old: old.layout(of: rule.source), new: new.layout(of: rule.destination))
        var slots: [SlotMapping?] = []
        for (property, slot) in zip(layouts.new.properties, layouts.new.slots) {
            switch property {
            case .attribute(let attribute):
                slots.append(value(of: attribute, at: slot, rule, layouts.old))
            case .relationship(let toOne):
                slots.append(destination(of: toOne, index, layouts.old))
            case .fetchedProperty: slots.append(nil)
            }
        }
        return RowMapping(
            from: layouts.old, to: layouts.new, slots: slots, keyOffset: keys.offsets[index],
            keepsEntity: rule.source.number == rule.destination.number
                && rule.source.rootEntity.number == rule.destination.rootEntity.number)
    }

    private mutating func value(
        of attribute: Attribute, at slot: RowLayout.Slot, _ rule: ResolvedMapping.Rule,
        _ layout: RowLayout
    ) -> SlotMapping? {
        if attribute.isDerived { return nil }
        switch rule.attributes[attribute.name] {
        case nil:
            let value = attribute.description.defaultValue
            return value == .null ? nil : .constant(value)
        case .constant(let value)?: return value == .null ? nil : .constant(value)
        case .path(let hops, let read)?:
            let conversion = ValueConversion(from: read.type, to: attribute.type)
            if !hops.isEmpty {
                let path = RowPath(hops: hops, attribute: read.name)
                return .found(path: add(path, to: rule.source), conversion: conversion)
            }
            guard let source = layout.slot(named: read.name) else { return nil }
            if source.kind == .externalBinary || slot.kind == .externalBinary {
                return .bytes(source, missing: .null)
            }
            if conversion.isNone, source.kind == slot.kind { return .same(source) }
            return .converted(source, conversion: conversion, missing: .null)
        }
    }

    private mutating func add(_ path: RowPath, to entity: Entity) -> Int {
        let index = Int(entity.number.rawValue) - 1
        paths[index].append(path)
        return paths[index].count - 1
    }

    private mutating func destination(
        of toOne: Relationship, _ index: Int, _ layout: RowLayout
    ) -> SlotMapping? {
        let rule = mapping.rules[index]
        let entities = toOne.destination.hierarchyNumbers
        guard let found = rule.relationships[toOne.name] else {
            guard let inverse = toOne.inverse, rule.expressions[toOne.name] == nil,
                mapping.rules.contains(where: {
                    $0.relationships[inverse.name]?.mappings.contains(index) ?? false
                        && $0.destination.isKind(of: inverse.entity)
                })
            else { return nil }
            if let known = linked.firstIndex(of: toOne) { return .linked(known) }
            linked.append(toOne)
            return .linked(linked.count - 1)
        }
        let table = successorIndex(of: found.mappings)
        guard let first = found.path.first else {
            return .successor(path: nil, successors: table, entities: entities)
        }
        guard found.path.count == 1, let slot = layout.slot(named: first.name) else {
            let path = add(RowPath(hops: found.path, attribute: nil), to: rule.source)
            return .successor(path: path, successors: table, entities: entities)
        }
        return .destination(
            slot, successors: table, entities: entities,
            keepsNumbers: successors[table].keepNumbers(of: first.destination.hierarchy)
                && first.destination.hierarchyNumbers == entities)
    }

    // MARK: Links and pairs

    /// Returns the to-one relationships whose destinations follow from their inverse.
    mutating func links() -> [LinkSource] {
        linked.map { toOne in
            guard let inverse = toOne.inverse else {
                return LinkSource(relationship: toOne, pairs: [])
            }
            return LinkSource(
                relationship: toOne,
                pairs: sources(of: inverse, telling: inverse, isReversed: false))
        }
    }

    /// Returns the sources of all pairs and positions.
    mutating func pairSources() -> [PairSource] {
        var found: [PairSource] = []
        for entity in mapping.new.entities {
            for case .relationship(let relationship) in entity.ownProperties
            where relationship.isToMany && !relationship.isTransient {
                guard
                    relationship.isManyToMany
                        ? relationship.ownsPairs : relationship.isOrdered
                else { continue }
                let near = sources(of: relationship, telling: relationship, isReversed: false)
                if near.isEmpty, let inverse = relationship.inverse {
                    found += sources(of: inverse, telling: relationship, isReversed: true)
                } else {
                    found += near
                }
            }
        }
        return found
    }

    /// Returns the sources of pairs by the rules that set a relationship.
    ///
    /// - Parameters:
    ///   - told: the relationship to which the pairs belong, which is the inverse if `isReversed` is
    ///     `true`.
    private mutating func sources(
        of relationship: Relationship, telling told: Relationship, isReversed: Bool
    ) -> [PairSource] {
        var found: [PairSource] = []
        for (index, rule) in mapping.rules.enumerated() where rule.policy == nil {
            guard rule.destination.isKind(of: relationship.entity),
                let destinations = rule.relationships[relationship.name]
            else { continue }
            let isKept =
                destinations.path.count == 1 && destinations.path[0].isToMany
                && destinations.path[0].isOrdered
            let inverse = told.isManyToMany ? told.inverse : nil
            func order(_ isOrdered: Bool, isNear: Bool) -> PairSource.Order {
                isOrdered ? isNear && isKept ? .kept : .byKey : .none
            }
            found.append(
                PairSource(
                    told: told, near: rule.source, includesSubentities: false,
                    path: destinations.path,
                    successors: (
                        successorIndex(of: [index]), successorIndex(of: destinations.mappings)
                    ), isReversed: isReversed, order: order(told.isOrdered, isNear: !isReversed),
                    inverseOrder: order(inverse?.isOrdered ?? false, isNear: isReversed)))
        }
        return found
    }
}

/// A path that leads from a row of the old store to another row or object.
struct RowPath {
    /// To-one relationships, of which there is at least one.
    let hops: [Relationship]
    /// The slot to read in the row at the end of the path, by the entity of that row. `nil` if the
    /// object itself is looked for.
    let attribute: String?
}

/// The objects that lead to the objects of a to-one relationship through its inverse.
struct LinkSource {
    /// The to-one relationship of the new model.
    let relationship: Relationship
    /// The sources of the pairs of its inverse.
    let pairs: [PairSource]
}
