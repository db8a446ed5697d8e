import CairnModel
import CairnStore
import CairnTestSupport
import Foundation

@testable import CairnSQLite

/// Objects of every concrete entity of any model, with values and relationships that differ.
struct SampleObjects {
    let subject: SavingStore
    private var ids: [EntityNumber: [ObjectID]] = [:]
    private var values: [ObjectID: [String: Value]] = [:]
    private var pairs: [PairChange] = []
    private var number = 0

    /// Saves `count` objects of each entity.
    @discardableResult
    init(fill subject: SavingStore, count: Int = 4) throws {
        self.subject = subject
        var keys: [EntityNumber: Int64] = [:]
        let entities = subject.model.entities.filter {
            !$0.isAbstract && subject.store.schema.map.schema(of: $0) != nil
        }
        for entity in entities {
            for index in 0..<count {
                let root = entity.rootEntity.number
                keys[root, default: 0] += 1
                let id = try subject.id(entity.name, keys[root, default: 1])
                ids[entity.number, default: []].append(id)
                values[id] = attributes(of: entity, index)
            }
        }
        for relationship in subject.model.entities.flatMap(\.ownRelationships) {
            relate(relationship)
        }
        let rows = try entities.flatMap { entity in
            try (ids[entity.number] ?? []).map {
                try subject.row(entity.name, $0.key, values[$0] ?? [:])
            }
        }
        guard !rows.isEmpty else { return }
        try subject.save(SaveRequest(inserted: RowBatch(rows), pairs: pairs))
    }

    // MARK: Values

    private mutating func attributes(of entity: Entity, _ index: Int) -> [String: Value] {
        var values: [String: Value] = [:]
        for attribute in entity.attributes where attribute.rowSlot != nil && !attribute.isDerived {
            number += 1
            if attribute.isOptional, index % 3 == 2 { continue }
            values[attribute.name] = value(of: attribute)
        }
        return values
    }

    private func value(of attribute: Attribute) -> Value {
        switch attribute.type {
        case .integer16, .integer32, .integer64: return .integer(Int64(number % 30_000))
        case .boolean: return .boolean(number % 2 == 0)
        case .double: return .double(Double(number) + 0.5)
        case .float: return .float(Float(number) + 0.25)
        case .decimal: return .decimal(Decimal(number) / 8)
        case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(number) + 0.125))
        case .string: return .string("“\(attribute.name)” \(number)")
        case .uuid: return .uuid(UUID())
        case .uri: return URL(string: "https://example.org/\(number)").map(Value.uri) ?? .null
        case .binary: return .binary(Data("\(number)".utf8))
        case .transformable: return .transformable(Data("\(number)".utf8))
        case .undefined, .objectID: return .null
        case .composite:
            return .composite(
                Dictionary(
                    (attribute.composite?.elements ?? []).map {
                        ($0.name, $0.type == .string ? .string("\(number)") : .null)
                    }, uniquingKeysWith: { first, _ in first }))
        }
    }

    // MARK: Relationships

    private func objects(of entity: Entity) -> [ObjectID] {
        entity.hierarchy.flatMap { ids[$0.number] ?? [] }
    }

    private mutating func relate(_ relationship: Relationship) {
        let owners = objects(of: relationship.entity)
        let members = objects(of: relationship.destination)
        guard !members.isEmpty else { return }
        switch (relationship.isToMany, relationship.inverse) {
        case (false, let inverse?) where !inverse.isToMany:
            relateOneToOne(relationship, inverse, owners, members)
        case (false, _): relateToOne(relationship, owners, members)
        case (true, let inverse?) where !inverse.isToMany: break
        case (true, _): relateManyToMany(relationship, owners, members)
        }
    }

    private mutating func relateOneToOne(
        _ relationship: Relationship, _ inverse: Relationship, _ owners: [ObjectID],
        _ members: [ObjectID]
    ) {
        // The side that comes later finds the values that the other one gave.
        for (owner, member) in zip(owners, members.reversed())
        where values[owner]?[relationship.name] == nil && values[member]?[inverse.name] == nil {
            values[owner]?[relationship.name] = .objectID(member)
            values[member]?[inverse.name] = .objectID(owner)
        }
    }

    private mutating func relateToOne(
        _ relationship: Relationship, _ owners: [ObjectID], _ members: [ObjectID]
    ) {
        for (index, owner) in owners.enumerated() {
            if relationship.isOptional, index % 4 == 3 { continue }
            let member = members[(index * 7 + 2) % members.count]
            values[owner]?[relationship.name] = .objectID(member)
            guard let inverse = relationship.inverse, inverse.isToMany, inverse.isOrdered else {
                continue
            }
            // Against the order of the keys.
            pairs.append(
                PairChange(
                    .insert, inverse, owner: member, member: owner,
                    orderKey: Int64(10_000 - index)))
        }
    }

    private mutating func relateManyToMany(
        _ relationship: Relationship, _ owners: [ObjectID], _ members: [ObjectID]
    ) {
        guard relationship.ownsPairs else { return }
        for (index, owner) in owners.enumerated() {
            let chosen = Set([index % members.count, (index * 3 + 1) % members.count])
            for member in chosen.sorted() {
                pairs.append(
                    PairChange(
                        .insert, relationship, owner: owner, member: members[member],
                        orderKey: relationship.isOrdered ? Int64(5_000 - member) : nil,
                        inverseOrderKey: relationship.inverse?.isOrdered == true
                            && relationship.inverse != relationship ? Int64(900 - index) : nil))
            }
        }
    }
}
