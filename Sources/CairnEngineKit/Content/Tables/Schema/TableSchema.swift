import CairnModel
import CairnRows
import CairnStore

/// The data that a ``StoreTable`` keeps for each entity of a model, resolved once for each open
/// store.
package final class TableSchema: Sendable {
    let request: OpenRequest
    package let layouts: RowLayouts
    /// The root entities, in the order of their numbers.
    package let rootEntities: [EntityNumber]
    /// Indexed by entity number minus 1.
    private let plans: [EntityPlan]
    /// The uniqueness constraints. Each has an index of its own.
    let constraints: [Constraint]
    /// A uniqueness constraint, and the number of the table's index that contains the hashes of its
    /// values.
    typealias Constraint = (properties: UniqueProperties, index: Int)
    /// The numbers of indexes, indexes of attribute values, pair tables and member orders in a table.
    let indexCount: Int
    let valueIndexCount: Int
    let pairTableCount: Int
    let memberOrderCount: Int
    /// The attributes that are computed during saves.
    let derivedAttributes: DerivedAttributes
    private let attributeIndexes: [PropertyKey: Int]
    private let memberIndexes: [PropertyKey: MemberIndexes]
    /// The entities whose objects the store accepts.
    let held: HeldEntities

    /// Creates the schema for a store that is opened with the request.
    ///
    /// - Throws: `.unsupported` for a derived attribute that cannot be computed, and for a
    ///   configuration that the model does not have.
    package init(_ request: OpenRequest) throws(StoreError) {
        self.request = request
        layouts = request.layouts
        held = try HeldEntities(request)
        var builder = TableSchemaBuilder(layouts)
        builder.addAll()
        rootEntities = layouts.model.entities.filter { $0.superentity == nil }.map(\.number)
        plans = builder.plans
        constraints = builder.constraints
        indexCount = builder.indexCount
        valueIndexCount = builder.attributeIndexes.count
        pairTableCount = builder.pairTableCount
        memberOrderCount = builder.memberOrderCount
        derivedAttributes = try DerivedAttributes(layouts.model, at: request.location)
        attributeIndexes = builder.attributeIndexes
        memberIndexes = builder.memberIndexes
    }

    /// Returns a part of the plan for rows of the entity, or `nil` for a number that the model does not have.
    ///
    /// Inlined, so that only the part is copied: copying a plan counts references to six arrays, and a save
    /// asks several times for each row that it changes.
    @inline(__always)
    func plan<Part>(of entity: EntityNumber, _ part: (EntityPlan) -> Part) -> Part? {
        let index = Int(entity.rawValue) - 1
        return plans.indices.contains(index) ? part(plans[index]) : nil
    }

    /// Returns whether one of the plans for the root entity's hierarchy satisfies a condition.
    func hasPlan(below root: EntityNumber, where condition: (EntityPlan) -> Bool) -> Bool {
        plans.contains { $0.rootEntity == root && condition($0) }
    }

    /// Returns the number of the index with the attribute's values, or `nil` if there is no such
    /// index.
    func index(of attribute: Attribute) -> Int? { attributeIndexes[PropertyKey(attribute)] }

    /// Returns whether the table keeps pairs or an order of a to-many relationship in addition to
    /// the rows.
    package func keepsPairs(of relationship: Relationship) -> Bool {
        switch memberIndexes(of: relationship) {
        case .pairs, .members(_, _?): true
        case .members(_, nil), nil: false
        }
    }

    /// Returns where the table stores the members of a to-many relationship, or `nil` if the
    /// relationship is transient or unknown.
    package func memberIndexes(of relationship: Relationship) -> MemberIndexes? {
        memberIndexes[PropertyKey(relationship)]
    }
}

/// The data that a table keeps for the rows of one concrete entity.
struct EntityPlan: Sendable {
    let rootEntity: EntityNumber
    /// The slots whose bytes might be stored outside of the row.
    let externalSlots: [RowLayout.Slot]
    var indexes: [EntityIndex] = []
    /// The indexes of attribute values, each with the slot of its values.
    var valueIndexes: [(index: Int, slot: RowLayout.Slot)] = []
    /// The pair tables in which objects of the entity are owners, and those in which they are
    /// members.
    var ownedPairTables: [Int] = []
    var memberPairTables: [Int] = []
    /// The orders of one-to-many relationships in which objects of the entity are members.
    var memberOrders: [(order: Int, owner: RowLayout.Slot)] = []
}

/// Assigns numbers to the indexes, pair tables and member orders that a model needs.
struct TableSchemaBuilder {
    private let layouts: RowLayouts
    private(set) var plans: [EntityPlan]
    private(set) var constraints: [TableSchema.Constraint] = []
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
                plans[entity.number.index].memberOrders.append((order, slot))
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
        constraints.append((unique, indexCount))
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
            plans[entity.number.index].valueIndexes.append((attributeIndexes.count, slot))
        }
        attributeIndexes[name] = attributeIndexes.count
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

/// Describes how rows of one entity appear in one index of a ``StoreTable``.
///
/// An index is a sorted set of pairs. Each pair consists of a code that is computed from a row's
/// values, and the row's key.
struct EntityIndex: Sendable {
    enum Code: Sendable {
        /// The key of a to-one relationship's destination. This code is exact.
        case destination(RowLayout.Slot)
        /// A hash of the values of several slots. Equal values have equal codes.
        case hash([RowLayout.Slot])
    }

    /// The number of the index in the table.
    let index: Int
    let code: Code

    /// Returns the row's code, or `nil` if the index does not contain the row.
    func code(of row: Row) -> Int64? {
        switch code {
        case .destination(let slot):
            return row.isNull(slot) ? nil : row.objectID(slot).key
        case .hash(let slots):
            // `nil` is not equal to anything, as in SQL. A row with a `nil` value violates no
            // constraint.
            if slots.contains(where: row.isNull) { return nil }
            return Self.hash(of: slots.map { row.value($0) })
        }
    }

    /// Returns the code of several values, none of which is `nil`.
    static func hash(of values: [Value]) -> Int64 {
        var hasher = Hasher()
        for value in values { hasher.combine(value) }
        return Int64(hasher.finalize())
    }
}

/// The data structure that stores the members of a to-many relationship.
package enum MemberIndexes: Sendable {
    /// A pair table. `isForward` is `true` if the relationship is the side that owns the pairs.
    case pairs(table: Int, isForward: Bool, isSymmetric: Bool)
    /// An index of the to-one slots in which the members' rows refer to the owner. `order` is the number of
    /// the separate table of order keys, or `nil` if the relationship is unordered.
    case members(index: Int, order: Int?)
}
