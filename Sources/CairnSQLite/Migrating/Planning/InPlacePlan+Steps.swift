import CairnModel

extension InPlacePlan {
    /// The steps as short clauses for people, in the order in which they are carried out.
    var steps: [String] {
        removals + tables.flatMap(tableSteps) + joins.flatMap(joinSteps) + renumberings
            + tables.flatMap(creations) + joins.flatMap(joinCreations) + indexes
            + ["record the new version of the model"]
    }

    private var removals: [String] {
        tables.filter { !$0.removed.isEmpty }.map {
            "delete the rows of removed entities from \($0.oldTable ?? $0.newTable)"
        } + droppedTables.map { "drop table \($0)" }
            + droppedJoins.map { "drop join table \($0.table)" }
    }

    private func tableSteps(_ table: TablePlan) -> [String] {
        guard let old = table.oldTable else { return [] }
        var steps: [String] = []
        if old != table.newTable { steps.append("rename table \(old) to \(table.newTable)") }
        for plan in table.renamed {
            guard let kept = plan.kept else { continue }
            steps.append("rename column \(kept) of \(table.newTable) to \(plan.column.name)")
        }
        for plan in table.added {
            steps.append("add column \(plan.column.name) to \(table.newTable)")
        }
        for plan in table.columns { steps += fillings(plan, of: table.newTable) }
        for column in table.dropped {
            steps.append("drop column \(column.name) of \(table.newTable)")
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

    private func joinSteps(_ join: JoinPlan) -> [String] {
        guard let old = join.old else { return [] }
        let isRenamed = old.table != join.new.table || !join.renamed.isEmpty
        let name = join.new.table
        return (isRenamed ? ["rename join table \(old.table), or its columns, to \(name)"] : [])
            + join.addedOrders.map { "add order column \($0.column) to \(name)" }
            + join.droppedOrders.map { "drop order column \($0) of \(name)" }
    }

    private var renumberings: [String] {
        let numbers = pairs.renumbered
        guard !numbers.isEmpty else { return [] }
        let pairs = numbers.map { "\($0.old) to \($0.new)" }.joined(separator: ", ")
        return ["renumber entities in their rows (\(pairs))"]
    }

    private func creations(_ table: TablePlan) -> [String] {
        table.oldTable == nil ? ["create table \(table.newTable)"] : []
    }

    private func joinCreations(_ join: JoinPlan) -> [String] {
        join.old == nil ? ["create join table \(join.new.table)"] : []
    }

    private var indexes: [String] {
        let old = Set(
            SchemaBuilder(map: oldMap).indexes { _ in true }.map(StoredIndex.definition))
        let new = SchemaBuilder(map: newMap).indexes { _ in true }
        let added = new.filter { !old.contains(StoredIndex.definition($0)) }
        return added.map { "create index \(StoredIndex.name(in: $0))" }
    }
}
