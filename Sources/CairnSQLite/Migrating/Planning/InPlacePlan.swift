import CairnModel
import CairnRows

/// A plan for turning a store of one model version into a store of another version, using only SQL.
struct InPlacePlan {
    let pairs: EntityPairs
    let oldMap: SchemaMap
    let newMap: SchemaMap
    let relationships: [Relationship: Relationship]
    private(set) var tables: [TablePlan]
    let joins: [JoinPlan]
    /// The tables of removed root entities. All entities below such a root were removed or have
    /// moved to other roots' tables.
    let droppedTables: [SQLName]
    let droppedJoins: [JoinTable]

    /// Returns `nil` if the store has to be copied.
    ///
    /// - Parameters:
    ///   - oldMap: The tables and columns of the old version, in an existing or a new store.
    ///   - newMap: The tables and columns of the new version in a new store.
    init?(_ changes: ModelCorrespondence, from oldMap: SchemaMap, to newMap: SchemaMap) {
        guard let pairs = EntityPairs(changes, from: oldMap.entities, to: newMap.entities),
            let continuity = RelationshipContinuity(pairs),
            let tables = TablePlanner(pairs: pairs, oldMap: oldMap, newMap: newMap).plans()
        else { return nil }
        let planner = JoinPlanner(
            pairs: pairs, continuity: continuity, oldMap: oldMap, newMap: newMap)
        guard let joins = planner.plans() else { return nil }
        self.pairs = pairs
        self.oldMap = oldMap
        self.newMap = newMap
        relationships = continuity.oldRelationships
        self.tables = tables
        self.joins = joins
        droppedJoins = planner.droppedTables(joins)
        droppedTables = oldMap.entities.entities.compactMap { entity, _ in
            guard entity.superentity == nil, pairs.newRoot(of: entity) == nil else { return nil }
            return oldMap.schema(of: entity)?.table
        }
        // To drop a column of a members' own table, an index of Core Data's would have to be
        // dropped too.
        guard !droppedJoins.contains(where: \.isMembersTable) else { return nil }
        let derivations = DerivationPlanner(
            pairs: pairs, newMap: newMap, changesValues: changesValues)
        guard let computed = derivations.computing(tables) else { return nil }
        self.tables = computed
    }

    /// Whether objects, values or references are removed or changed.
    private var changesValues: Bool {
        tables.contains(where: \.changesValues) || !droppedTables.isEmpty || !droppedJoins.isEmpty
            || joins.contains(where: \.changesValues)
    }

    /// Plans the migration between two new stores of the given versions, without looking at a real
    /// store.
    ///
    /// Returns `nil` if the store has to be copied, or if one of the versions lacks the
    /// configuration.
    static func withoutStore(
        _ changes: ModelCorrespondence, configuration: String?
    ) -> InPlacePlan? {
        guard let old = fresh(changes.old, configuration),
            let new = fresh(changes.new, configuration)
        else { return nil }
        return InPlacePlan(changes, from: old, to: new)
    }

    /// Returns the tables and columns of a version in a new store.
    static func fresh(_ model: ManagedObjectModel, _ configuration: String?) -> SchemaMap? {
        guard let entities = try? StoreEntities(creating: model, configuration: configuration)
        else { return nil }
        return SchemaMap(creating: entities, layouts: RowLayouts(model))
    }
}
