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
    let constraints: [UniquenessIndex]
    /// The numbers of indexes, pair tables and member orders in a table.
    let indexCount: Int
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
        pairTableCount = builder.pairTableCount
        memberOrderCount = builder.memberOrderCount
        derivedAttributes = try DerivedAttributes(layouts.model, at: request.location)
        attributeIndexes = builder.attributeIndexes
        memberIndexes = builder.memberIndexes
    }

    /// Returns the plan for rows of the entity, or `nil` for a number that the model does not have.
    func plan(of entity: EntityNumber) -> EntityPlan? {
        let index = Int(entity.rawValue) - 1
        return plans.indices.contains(index) ? plans[index] : nil
    }

    /// Returns whether the index contains rows of the root entity's hierarchy.
    func hasIndex(_ index: Int, below root: EntityNumber) -> Bool {
        plans.contains { plan in
            plan.rootEntity == root && plan.indexes.contains { $0.index == index }
        }
    }

    /// Returns the number of the index with the attribute's codes, or `nil` if there is no such
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
