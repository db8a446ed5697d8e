import CairnModel
import CairnModelArchive
import CairnStore
import Foundation
import Synchronization

/// What a ``RowTable`` keeps for each entity of a model: resolved once per opened store.
package final class TableSchema: Sendable {
    package let layouts: RowLayouts
    /// In the order of their numbers.
    package let rootEntities: [EntityNumber]
    /// By entity number, from 1 at index 0.
    private let plans: [EntityPlan]
    /// The uniqueness constraints; each has an index of its own.
    let constraints: [UniquenessConstraint]
    /// How many indexes, pair tables and member orders a table has.
    let indexCount: Int
    let pairTableCount: Int
    let memberOrderCount: Int
    /// The attributes that a save computes.
    let derivedAttributes: DerivedAttributes
    private let attributeIndexes: [PropertyName: Int]
    private let places: [PropertyName: RelationshipPlace]
    /// The entities whose objects a save may bring.
    let held: HeldEntities
    /// The archive that was made last, and of which model: a program mostly opens stores of one model.
    private static let latestArchive = Mutex<(model: ManagedObjectModel, bytes: Data)?>(nil)

    /// The model as a store keeps it. Made when it is asked for first: reading needs none.
    var modelArchive: Data {
        Self.latestArchive.withLock { latest in
            if let latest, latest.model === layouts.model { return latest.bytes }
            let bytes = Data(ModelCache.encode(layouts.model))
            latest = (layouts.model, bytes)
            return bytes
        }
    }

    /// Resolves what a store that is opened so keeps.
    ///
    /// - Throws: `.unsupported` for a derived attribute that cannot be computed, and for a
    ///   configuration that the model does not have.
    package convenience init(_ request: OpenRequest) throws(StoreError) {
        try self.init(request.layouts, at: request.location, holding: HeldEntities(request))
    }

    /// Resolves what a store of all entities keeps.
    ///
    /// - Parameter location: names the store in errors.
    /// - Throws: `.unsupported` for a derived attribute that cannot be computed.
    package convenience init(_ layouts: RowLayouts, at location: StoreLocation) throws(StoreError) {
        try self.init(
            layouts, at: location, holding: HeldEntities(allOf: layouts.model, at: location))
    }

    private init(
        _ layouts: RowLayouts, at location: StoreLocation, holding held: HeldEntities
    ) throws(StoreError) {
        self.held = held
        var builder = TableSchemaBuilder(layouts)
        builder.addAll()
        self.layouts = layouts
        rootEntities = layouts.model.entities.filter { $0.superentity == nil }.map(\.number)
        plans = builder.plans
        constraints = builder.constraints
        indexCount = builder.indexCount
        pairTableCount = builder.pairTableCount
        memberOrderCount = builder.memberOrderCount
        derivedAttributes = try DerivedAttributes(layouts.model, at: location)
        attributeIndexes = builder.attributeIndexes
        places = builder.places
    }

    /// Returns what is kept for rows of the entity; nil for a number the model does not have.
    func plan(of entity: EntityNumber) -> EntityPlan? {
        let index = Int(entity.rawValue) - 1
        return plans.indices.contains(index) ? plans[index] : nil
    }

    /// Whether rows of the root entity's hierarchy are in the index.
    func hasIndex(_ index: Int, below root: EntityNumber) -> Bool {
        plans.contains { plan in
            plan.rootEntity == root && plan.indexes.contains { $0.index == index }
        }
    }

    /// Returns which index holds the attribute's codes; nil: none does.
    func index(of attribute: Attribute) -> Int? { attributeIndexes[PropertyName(attribute)] }

    /// Whether the table keeps pairs or an order of a to-many, which rows alone do not tell.
    package func keepsPlaces(of relationship: Relationship) -> Bool {
        switch place(of: relationship) {
        case .pairs, .members(_, _?): true
        case .members(_, nil), nil: false
        }
    }

    /// Returns where the members of a to-many are kept; nil where it is transient or unknown.
    func place(of relationship: Relationship) -> RelationshipPlace? {
        places[PropertyName(relationship)]
    }
}

/// What is kept for the rows of one concrete entity.
struct EntityPlan: Sendable {
    let rootEntity: EntityNumber
    /// Slots whose bytes might be kept outside of the row.
    let externalSlots: [RowLayout.Slot]
    var indexes: [EntityIndex] = []
    /// Pair tables in which objects of the entity are owners, and in which they are members.
    var ownedPairTables: [Int] = []
    var memberPairTables: [Int] = []
    /// Orders of one-to-many relationships in which objects of the entity are members.
    var memberOrders: [MemberOrderPlan] = []
}

/// An order in which objects of an entity are members.
struct MemberOrderPlan: Sendable {
    /// Which order of the table.
    let order: Int
    /// The to-one that says whose member an object is.
    let owner: RowLayout.Slot
}

/// A property combination whose values occur once in a store.
struct UniquenessConstraint: Sendable {
    /// The entity that declares it.
    let entity: String
    let properties: [String]
    /// Which index holds the hashes of its values.
    let index: Int
    /// The slots of the properties, by entity number from the declaring entity's.
    let slots: [[RowLayout.Slot]]
    let firstEntity: EntityNumber

    /// Returns the slots of the properties in the entity's rows; nil where it is another tree's.
    func slots(in entity: EntityNumber) -> [RowLayout.Slot]? {
        let index = Int(entity.rawValue) - Int(firstEntity.rawValue)
        return slots.indices.contains(index) ? slots[index] : nil
    }
}

/// Where the members of a to-many relationship are kept.
enum RelationshipPlace: Sendable {
    /// In a pair table; `isForward` from the side that owns the pairs.
    case pairs(table: Int, isForward: Bool, isSymmetric: Bool)
    /// In the members' to-one slots, which an index finds; the order is kept apart.
    case members(index: Int, order: Int?)
}

/// A property by its declaring entity and name, so that equal models find the same.
struct PropertyName: Hashable {
    let entity: EntityNumber
    let name: String

    init(_ relationship: Relationship) {
        entity = relationship.entity.number
        name = relationship.name
    }

    init(_ attribute: Attribute) {
        entity = attribute.entity.number
        name = attribute.name
    }
}
