import Cairn
import CairnStore
import CairnTestSupport
import Foundation

/// Fills a store of any model with random objects. It uses only the store contract, so that no rule of the
/// model excludes an object.
package struct RandomStore {
    private let store: any PersistentStore
    private var random: SeededRandom
    private let countOfEach: Int
    private let roots: [Entity]
    private var entities: [Entity] { roots.flatMap(\.hierarchy) }
    private var ids: [EntityNumber: [ObjectID]] = [:]

    package init(_ store: any PersistentStore, seed: UInt64, countOfEach: Int = 6) throws {
        self.store = store
        roots = try store.heldRoots
        random = SeededRandom(seed: seed)
        self.countOfEach = countOfEach
    }

    /// Saves some objects of each entity with relationships between them. Some reserved keys remain without
    /// objects.
    package mutating func fill() throws {
        reserveIDs()
        var toOnes: [ObjectID: [String: ObjectID]] = [:]
        var pairs: [PairChange] = []
        for entity in entities {
            for case .relationship(let relationship) in entity.ownProperties
            where !relationship.isTransient {
                relate(relationship, &toOnes, &pairs)
            }
        }
        var request = SaveRequest(pairs: pairs, metadata: ["note": .string("kept")])
        var number = 0
        for entity in entities {
            for id in ids[entity.number] ?? [] {
                number += 1
                request.inserted.append(try row(id, of: entity, number, toOnes[id] ?? [:]))
            }
        }
        let transaction = try store.beginSave()
        defer { transaction.rollback() }
        for entity in roots {
            // Reserves keys whose objects are never saved.
            _ = try transaction.reserveKeys([entity.number: 1000])
        }
        try transaction.prepare(request)
        _ = try transaction.commit()
    }

    private mutating func reserveIDs() {
        var next: [EntityNumber: Int64] = [:]
        for entity in entities where !entity.isAbstract {
            let root = entity.rootEntity.number
            ids[entity.number] = (0..<countOfEach).map { _ in
                next[root, default: 0] += Int64.random(in: 1...3, using: &random)
                return ObjectID(
                    store: store.number, rootEntity: root, entity: entity.number,
                    key: next[root, default: 0])
            }
        }
    }

    private func objects(of entity: Entity) -> [ObjectID] {
        entity.hierarchy.flatMap { ids[$0.number] ?? [] }
    }

    // MARK: Values

    private mutating func row(
        _ id: ObjectID, of entity: Entity, _ number: Int, _ toOnes: [String: ObjectID]
    ) throws -> RowBatch {
        var writer = RowWriter(store: store.number)
        let layout = store.request.layouts.layout(of: entity)
        writer.begin(layout, key: id.key, version: Int64.random(in: 1...9, using: &random))
        for (property, slot) in zip(layout.properties, layout.slots) {
            switch property {
            case .attribute(let attribute):
                // The store computes derived values.
                if attribute.isDerived { continue }
                if attribute.isOptional, number % 4 == 3 { continue }
                try writer.set(value(of: attribute, number), at: slot, of: layout)
            case .relationship(let relationship):
                if let to = toOnes[relationship.name] {
                    writer.set(key: to.key, entity: to.entity, at: slot)
                }
            case .fetchedProperty: continue
            }
        }
        writer.endRow()
        return writer.takeBatch()
    }

    private func value(of attribute: Attribute, _ number: Int) -> Value {
        switch attribute.type {
        case .boolean: .boolean(number % 2 == 0)
        case .integer16: .integer(Int64(number % 30000))
        case .integer32, .integer64: .integer(Int64(number) * 70001 % 2_000_000_000)
        case .double: .double(Double(number) + 0.25)
        case .float: .float(Float(number) + 0.5)
        case .decimal: .decimal(Decimal(number) / 4)
        case .date: .date(Date(timeIntervalSinceReferenceDate: Double(number) * 1000 + 0.5))
        case .uuid:
            .uuid(
                UUID(uuidString: String(format: "00000000-0000-4000-8000-%012d", number)) ?? UUID())
        case .uri: .uri(URL(fileURLWithPath: "/random/\(number)"))
        case .string: .string("text \(number)")
        // Some values are large enough for external files.
        case .binary:
            .binary(Data(repeating: UInt8(number % 251), count: number % 5 == 0 ? 200_000 : number))
        case .transformable: .transformable(Data("archive \(number)".utf8))
        case .composite: .composite(elements(of: attribute, number))
        case .undefined, .objectID: .null
        }
    }

    private func elements(of attribute: Attribute, _ number: Int) -> [String: Value] {
        var elements: [String: Value] = [:]
        for element in attribute.composite?.elements ?? [] where element.type == .string {
            elements[element.name] = .string("element \(number)")
        }
        return elements
    }

    // MARK: Relationships

    /// Creates links for a relationship, if it is the side that stores them.
    private mutating func relate(
        _ relationship: Relationship, _ toOnes: inout [ObjectID: [String: ObjectID]],
        _ pairs: inout [PairChange]
    ) {
        let destinations = objects(of: relationship.destination)
        if relationship.isToMany {
            guard relationship.isManyToMany, relationship.ownsPairs, !destinations.isEmpty else {
                return
            }
            for owner in objects(of: relationship.entity) where owner.key % 3 != 0 {
                for member in destinations.shuffled(using: &random).prefix(3) {
                    pairs.append(pair(relationship, owner, member))
                }
            }
            return
        }
        var free = destinations.shuffled(using: &random)
        for owner in objects(of: relationship.entity) where owner.key % 4 != 0 {
            if let inverse = relationship.inverse, !inverse.isToMany {
                // Both rows of a one-to-one relationship store the link, and each object is linked at most
                // once.
                guard inverse != relationship, toOnes[owner]?[relationship.name] == nil,
                    let index = free.firstIndex(where: {
                        toOnes[$0]?[inverse.name] == nil && $0 != owner
                    })
                else { continue }
                let member = free.remove(at: index)
                toOnes[owner, default: [:]][relationship.name] = member
                toOnes[member, default: [:]][inverse.name] = owner
            } else if let member = destinations.randomElement(using: &random) {
                toOnes[owner, default: [:]][relationship.name] = member
                if let inverse = relationship.inverse, inverse.isOrdered {
                    pairs.append(pair(inverse, member, owner))
                }
            }
        }
    }

    private mutating func pair(
        _ relationship: Relationship, _ owner: ObjectID, _ member: ObjectID
    ) -> PairChange {
        func orderKey(_ isOrdered: Bool) -> Int64? {
            isOrdered ? Int64.random(in: 0...1_000_000, using: &random) : nil
        }
        let inverse = relationship.isManyToMany ? relationship.inverse : nil
        return PairChange(
            .insert, relationship, owner: owner, member: member,
            orderKey: orderKey(relationship.isOrdered),
            inverseOrderKey: orderKey(inverse?.isOrdered ?? false))
    }
}
