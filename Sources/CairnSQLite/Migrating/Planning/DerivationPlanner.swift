import CairnModel

/// Decides which derived attributes SQL can compute while a store is migrated in place.
struct DerivationPlanner {
    let pairs: EntityPairs
    let newMap: SchemaMap
    /// Whether the migration changes values that other values may be derived from.
    let changesValues: Bool

    /// Returns the plans, with a computation for each count that must be computed. Returns `nil` if
    /// any other derived attribute must be computed.
    func computing(_ tables: [TablePlan]) -> [TablePlan]? {
        var tables = tables
        for index in tables.indices where tables[index].oldTable != nil {
            for column in tables[index].columns.indices {
                let plan = tables[index].columns[column]
                guard case .attribute(let attribute) = plan.column.property, attribute.isDerived
                else { continue }
                if !changesValues, continues(attribute, plan) { continue }
                guard let computation = computation(of: attribute) else { return nil }
                tables[index].columns[column].computation = computation
            }
        }
        return tables
    }

    /// Whether the store already contains the value.
    private func continues(_ attribute: Attribute, _ plan: ColumnPlan) -> Bool {
        guard plan.kept != nil, plan.copies.isEmpty else { return false }
        let users = plan.column.users.filter { pairs.old(of: $0) != nil }
        return users.allSatisfy { user in
            guard
                case .attribute(let old)? = pairs.changes.oldProperty(
                    named: attribute.name, of: user)
            else { return false }
            return old.description.derivation == attribute.description.derivation
                && old.type == attribute.type
        }
    }

    private func computation(of attribute: Attribute) -> ColumnPlan.Computation? {
        guard let counted = attribute.countedRelationship, let inverse = counted.inverse,
            let members = newMap.schema(of: counted.destination)?.table,
            let key = newMap.column(of: inverse)?.name
        else { return nil }
        return .count(members: members, key: key)
    }
}
