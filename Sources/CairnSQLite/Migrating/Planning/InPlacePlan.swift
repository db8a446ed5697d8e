import CairnModel
import CairnRows
import CairnSQL
import CairnStore

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

extension InPlacePlan {
    /// The steps, in the order in which they are carried out.
    func steps(defersCleanup: Bool) -> [InPlaceStep] {
        removals + tables.flatMap { tableSteps($0, defersCleanup) } + joins.flatMap(joinSteps)
            + renumberings
            + tables.flatMap(creations) + joins.flatMap(joinCreations) + indexes
            + [InPlaceStep("record the new version of the model")]
    }

    private var removals: [InPlaceStep] {
        tables.filter { !$0.removed.isEmpty }.map { table in
            InPlaceStep(
                "delete the rows of removed entities from \(table.oldTable ?? table.newTable)",
                rowsOf: entities(of: table).filter { pairs.new(of: $0) == nil })
        }
            + droppedTables.map { table in
                let roots = pairs.old.entities.map(\.entity).filter {
                    $0.superentity == nil && oldMap.schema(of: $0)?.table == table
                }
                return InPlaceStep("drop table \(table)", rowsOf: roots.flatMap(\.hierarchy))
            }
            + droppedJoins.map { InPlaceStep("drop join table \($0.table)") }
    }

    /// Returns the entities of the old version whose rows a table has.
    private func entities(of table: TablePlan) -> [Entity] {
        pairs.oldRoot(of: table.root)?.hierarchy ?? []
    }

    private func tableSteps(_ table: TablePlan, _ defersCleanup: Bool) -> [InPlaceStep] {
        guard let old = table.oldTable else { return [] }
        var steps: [InPlaceStep] = []
        if old != table.newTable {
            steps.append(InPlaceStep("rename table \(old) to \(table.newTable)"))
        }
        for plan in table.renamed {
            guard let kept = plan.kept else { continue }
            steps.append(
                InPlaceStep("rename column \(kept) of \(table.newTable) to \(plan.column.name)"))
        }
        for plan in table.added {
            steps.append(InPlaceStep("add column \(plan.column.name) to \(table.newTable)"))
        }
        let entities = entities(of: table)
        for plan in table.columns {
            steps += fillings(plan, of: table.newTable).map { InPlaceStep($0, rowsOf: entities) }
        }
        for column in table.dropped {
            let step = "drop column \(column.name) of \(table.newTable)"
            steps.append(
                defersCleanup
                    ? InPlaceStep("leave for later: \(step)") : InPlaceStep(step, rowsOf: entities))
        }
        return steps
    }

    private func fillings(_ plan: ColumnPlan, of table: SQLName) -> [String] {
        var steps: [String] = []
        if !plan.copies.isEmpty { steps.append("move values to \(table).\(plan.column.name)") }
        if !plan.cleared.isEmpty {
            steps.append("remove values of other entities from \(table).\(plan.column.name)")
        }
        if !plan.defaults.isEmpty {
            steps.append("fill \(table).\(plan.column.name) with its default value")
        }
        if plan.computation != nil { steps.append("compute \(table).\(plan.column.name)") }
        return steps
    }

    private func joinSteps(_ join: JoinPlan) -> [InPlaceStep] {
        guard let old = join.old else { return [] }
        let isRenamed = old.table != join.new.table || !join.renamed.isEmpty
        let name = join.new.table
        let steps =
            (isRenamed ? ["rename join table \(old.table), or its columns, to \(name)"] : [])
            + join.addedOrders.map { "add order column \($0.column) to \(name)" }
            + join.droppedOrders.map { "drop order column \($0) of \(name)" }
        return steps.map { InPlaceStep($0) }
    }

    private var renumberings: [InPlaceStep] {
        let numbers = pairs.renumbered
        guard !numbers.isEmpty else { return [] }
        let words = numbers.map { "\($0.old) to \($0.new)" }.joined(separator: ", ")
        let renumbered = Set(numbers.map(\.old))
        return [
            InPlaceStep(
                "renumber entities in their rows (\(words))",
                rowsOf: pairs.old.entities.filter { renumbered.contains($0.number) }.map(\.entity))
        ]
    }

    private func creations(_ table: TablePlan) -> [InPlaceStep] {
        table.oldTable == nil ? [InPlaceStep("create table \(table.newTable)")] : []
    }

    private func joinCreations(_ join: JoinPlan) -> [InPlaceStep] {
        join.old == nil ? [InPlaceStep("create join table \(join.new.table)")] : []
    }

    private var indexes: [InPlaceStep] {
        let old = Set(
            SchemaBuilder(map: oldMap).indexes { _ in true }.map(StoredIndex.definition))
        let new = SchemaBuilder(map: newMap).indexes { _ in true }
        let added = new.filter { !old.contains(StoredIndex.definition($0)) }
        return added.map { statement in
            let table = tables.first { statement.contains(" ON \($0.newTable) (") }
            return InPlaceStep(
                "create index \(StoredIndex.name(in: statement))",
                rowsOf: table.map(entities) ?? [])
        }
    }
}

/// The changes of the table of one root entity.
struct TablePlan {
    /// The root entity in the new version.
    let root: Entity
    /// The table's old name, or `nil` if the table is new.
    let oldTable: SQLName?
    let newTable: SQLName
    /// The columns, in the order of ``ModelColumn/all(of:in:)``.
    var columns: [ColumnPlan]
    /// The columns of the old version that the new version does not have.
    var dropped: [ModelColumn]
    /// The old numbers of entities whose rows are deleted.
    var removed: [Int64]

    /// The columns that the old table does not have.
    var added: [ColumnPlan] { oldTable == nil ? [] : columns.filter { $0.kept == nil } }

    /// The columns that are renamed.
    var renamed: [ColumnPlan] { columns.filter { $0.kept != nil && $0.kept != $0.column.name } }

    /// Whether objects lose or gain values.
    var changesValues: Bool {
        !removed.isEmpty || !dropped.isEmpty || columns.contains(where: \.changesValues)
    }
}

/// How a column of the new version gets its values.
struct ColumnPlan {
    /// Values copied from another column, for the rows of some entities.
    struct Copy {
        var from: SQLName
        var conversion: ColumnConversion
        /// The old entity numbers.
        var entities: [Int64]
    }

    /// A default value for the rows of some entities.
    struct Default {
        var value: Value
        /// The old entity numbers.
        var entities: [Int64]
        /// Whether only rows without a value get the default.
        var onlyMissing: Bool
    }

    /// Values that are computed from other columns.
    enum Computation {
        /// The entity of a to-one relationship's destination, which had no subentities before.
        case destinationEntity(key: SQLName, table: SQLName)
        /// The order keys of members that had no order, in the order of their primary keys.
        case order(key: SQLName)
        /// The number of members of a to-many relationship.
        case count(members: SQLName, key: SQLName)
    }

    var column: ModelColumn
    /// The old column that becomes this one, or `nil` if this column is added.
    var kept: SQLName?
    var copies: [Copy] = []
    /// The old numbers of entities whose values in the kept column belong to another property.
    var cleared: [Int64] = []
    var defaults: [Default] = []
    var computation: Computation?
    /// The old source column for each entity of the new version, if it had one.
    var sources: [Entity: SQLName] = [:]

    /// Whether values of rows change, not counting computed values.
    var changesValues: Bool { !copies.isEmpty || !cleared.isEmpty || !defaults.isEmpty }
}

/// The changes of one join table.
struct JoinPlan {
    /// One of the table's relationships in the new version.
    let relationship: Relationship
    /// The existing table as seen from the old relationship. `nil` if the table is new.
    let old: JoinTable?
    /// The future table as seen from `relationship`.
    let new: JoinTable

    /// The order columns to add, each with the column that groups the members and the column that
    /// sorts them.
    var addedOrders: [(column: SQLName, owner: SQLName, member: SQLName)] {
        guard let old else { return [] }
        var orders: [(SQLName, SQLName, SQLName)] = []
        if old.memberOrderColumn == nil, let column = new.memberOrderColumn {
            orders.append((column, new.ownerColumn, new.memberColumn))
        }
        if old.ownerOrderColumn == nil, let column = new.ownerOrderColumn {
            orders.append((column, new.memberColumn, new.ownerColumn))
        }
        return orders
    }

    /// The order columns that are no longer needed, with their old names.
    var droppedOrders: [SQLName] {
        guard let old else { return [] }
        return [
            new.memberOrderColumn == nil ? old.memberOrderColumn : nil,
            new.ownerOrderColumn == nil ? old.ownerOrderColumn : nil,
        ].compactMap(\.self)
    }

    /// The columns that are renamed.
    var renamed: [(from: SQLName, to: SQLName)] {
        guard let old else { return [] }
        let pairs: [(SQLName?, SQLName?)] = [
            (old.ownerColumn, new.ownerColumn), (old.memberColumn, new.memberColumn),
            (old.memberOrderColumn, new.memberOrderColumn),
            (old.ownerOrderColumn, new.ownerOrderColumn),
        ]
        return pairs.compactMap { from, to in
            guard let from, let to, from != to else { return nil }
            return (from, to)
        }
    }

    /// Whether members lose their order.
    var changesValues: Bool { !droppedOrders.isEmpty }
}
