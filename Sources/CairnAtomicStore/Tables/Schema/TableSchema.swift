import CairnModel
import CairnModelArchive
import CairnStore
import Foundation
import Synchronization

/// What a ``StoreTable`` keeps for each entity of a model: resolved once per opened store.
package final class TableSchema: Sendable {
    package let layouts: RowLayouts
    /// In the order of their numbers.
    package let rootEntities: [EntityNumber]
    /// By entity number, from 1 at index 0.
    private let plans: [EntityPlan]
    /// The uniqueness constraints; each has an index of its own.
    let constraints: [UniquenessIndex]
    /// How many indexes, pair tables and member orders a table has.
    let indexCount: Int
    let pairTableCount: Int
    let memberOrderCount: Int
    /// The attributes that a save computes.
    let derivedAttributes: DerivedAttributes
    private let attributeIndexes: [PropertyKey: Int]
    private let memberIndexes: [PropertyKey: MemberIndexes]
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
        memberIndexes = builder.memberIndexes
    }

    /// Returns what is kept for rows of the entity. Returns `nil` for a number the model does not have.
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

    /// Returns which index holds the attribute's codes. Returns `nil` if none does.
    func index(of attribute: Attribute) -> Int? { attributeIndexes[PropertyKey(attribute)] }

    /// Whether the table keeps pairs or an order of a to-many, which are not in the rows.
    package func keepsPairs(of relationship: Relationship) -> Bool {
        switch memberIndexes(of: relationship) {
        case .pairs, .members(_, _?): true
        case .members(_, nil), nil: false
        }
    }

    /// Returns where the table keeps the members of a to-many. Returns `nil` if the relationship is
    /// transient or unknown.
    func memberIndexes(of relationship: Relationship) -> MemberIndexes? {
        memberIndexes[PropertyKey(relationship)]
    }
}
