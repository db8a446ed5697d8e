import CairnModel
import CairnStore

/// How a store of one version of a model becomes one of another version, by SQL alone.
struct InPlacePlan {
    let pairs: EntityPairs
    let oldMap: SchemaMap
    let newMap: SchemaMap
    let relationships: [Relationship: Relationship]
    private(set) var tables: [TablePlan]
    let joins: [JoinPlan]
    /// The tables of roots that were removed, with all entities below them.
    let droppedTables: [SQLName]
    let droppedJoins: [JoinTable]

    /// Returns `nil` if the store has to be copied.
    ///
    /// - Parameters:
    ///   - oldMap: where the old version stands, in a store or in a new one.
    ///   - newMap: where the new version stands in a new store.
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
        // A column in the members' own table goes only with an index of Core Data's.
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

    /// Maps the versions as new stores have them, and plans from that alone.
    ///
    /// Returns `nil` if the store has to be copied, or if a version lacks the configuration.
    static func withoutStore(
        _ changes: ModelCorrespondence, configuration: String?
    ) -> InPlacePlan? {
        guard let old = fresh(changes.old, configuration),
            let new = fresh(changes.new, configuration)
        else { return nil }
        return InPlacePlan(changes, from: old, to: new)
    }

    /// Returns where a version stands in a new store.
    static func fresh(_ model: ManagedObjectModel, _ configuration: String?) -> SchemaMap? {
        guard let entities = try? StoreEntities(creating: model, configuration: configuration)
        else { return nil }
        return SchemaMap(creating: entities, layouts: RowLayouts(model))
    }
}
