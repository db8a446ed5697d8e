import CairnModel
import CairnSQL

/// Plans the changes of the join tables.
///
/// A table that is kept stays named after the same side, as in Core Data's own migrations
/// (docs/formats/sqlite.md).
struct JoinPlanner {
    let pairs: EntityPairs
    let continuity: RelationshipContinuity
    let oldMap: SchemaMap
    let newMap: SchemaMap

    /// Returns the plans in the order of entity number and relationship name. Returns `nil` if two
    /// tables would get the same name, or if the form of a table changes.
    func plans() -> [JoinPlan]? {
        var plans: [JoinPlan] = []
        var planned: Set<Relationship> = []
        for relationship in pairs.new.entities.flatMap(\.entity.ownRelationships) {
            guard let wanted = newMap.joinTable(of: relationship),
                !planned.contains(relationship)
            else { continue }
            planned.insert(relationship)
            if let inverse = relationship.inverse { planned.insert(inverse) }
            guard let old = continuity.oldRelationships[relationship],
                let join = oldMap.joinTable(of: old)
            else {
                plans.append(JoinPlan(relationship: relationship, old: nil, new: wanted))
                continue
            }
            guard let new = renamed(join, of: old, to: relationship, wanted) else { return nil }
            plans.append(JoinPlan(relationship: relationship, old: join, new: new))
        }
        let tables = plans.filter { !$0.new.isMembersTable }.map(\.new.table)
        return Set(tables).count == tables.count ? plans : nil
    }

    /// Returns the store's join tables that the new version does not have.
    func droppedTables(_ plans: [JoinPlan]) -> [JoinTable] {
        let kept = Set(plans.compactMap(\.old?.table))
        var dropped: [JoinTable] = []
        for relationship in pairs.old.entities.flatMap(\.entity.ownRelationships) {
            guard let join = oldMap.joinTable(of: relationship), !kept.contains(join.table),
                !dropped.contains(where: { $0.table == join.table })
            else { continue }
            dropped.append(join)
        }
        return dropped
    }

    // MARK: Names

    private func renamed(
        _ join: JoinTable, of old: Relationship, to new: Relationship, _ wanted: JoinTable
    ) -> JoinTable? {
        if join.isMembersTable { return renamedInMembersTable(join, of: old, to: new) }
        let table = renamedTable(join.table, of: old, to: new) ?? wanted.table
        if table == wanted.table { return wanted }
        let owner =
            renamed(join.ownerColumn, side(old, old.inverse), side(new, new.inverse))
            ?? wanted.ownerColumn
        let member =
            old.inverse == old
            ? join.memberColumn
            : renamed(join.memberColumn, memberSide(old), memberSide(new)) ?? wanted.memberColumn
        guard owner != member else { return nil }
        var result = join
        result.table = table
        (result.ownerColumn, result.memberColumn) = (owner, member)
        result.memberOrderColumn = wanted.memberOrderColumn.map { _ in SchemaNames.orderName(member)
        }
        result.ownerOrderColumn = wanted.ownerOrderColumn.map { _ in SchemaNames.orderName(owner) }
        return result
    }

    /// The entity and the relationship name that form the name of a key column.
    private typealias Side = (entity: Entity, name: String)

    /// Returns the side that names the owner's column. In Cairn's own tables for relationships
    /// without an inverse, that column is named after `OWNER`.
    private func side(_ relationship: Relationship, _ inverse: Relationship?) -> Side {
        (relationship.entity, inverse?.name ?? "owner")
    }

    private func memberSide(_ relationship: Relationship) -> Side {
        (relationship.inverse?.entity ?? relationship.destination, relationship.name)
    }

    /// Returns the new version of a name `Z_<number><NAME>`, which may end with another number.
    private func renamed(_ column: SQLName, _ old: Side, _ new: Side) -> SQLName? {
        guard let before = pairs.old.storeNumber(of: old.entity.number),
            let after = pairs.new.storeNumber(of: new.entity.number)
        else { return nil }
        let stem = "Z_\(before)\(old.name.uppercased())"
        guard column.text.hasPrefix(stem) else { return nil }
        let rest = column.text.dropFirst(stem.count)
        guard rest.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return SQLName("Z_\(after)\(new.name.uppercased())\(rest)")
    }

    private func renamedTable(
        _ table: SQLName, of old: Relationship, to new: Relationship
    ) -> SQLName? {
        if let name = renamed(table, (old.entity, old.name), (new.entity, new.name)) { return name }
        guard let oldInverse = old.inverse, let newInverse = new.inverse else { return nil }
        return renamed(
            table, (oldInverse.entity, oldInverse.name), (newInverse.entity, newInverse.name))
    }

    /// Renames the column in the members' own table that Core Data uses for a to-many relationship
    /// without an inverse.
    private func renamedInMembersTable(
        _ join: JoinTable, of old: Relationship, to new: Relationship
    ) -> JoinTable? {
        guard old.isOrdered == new.isOrdered,
            let before = pairs.old.storeNumber(of: old.entity.number),
            let after = pairs.new.storeNumber(of: new.entity.number),
            let table = newMap.schema(of: new.destination)?.table,
            join.ownerColumn.text == "Z\(before)\(old.name.uppercased())"
        else { return nil }
        var result = join
        result.table = table
        result.ownerColumn = SQLName("Z\(after)\(new.name.uppercased())")
        if let order = join.memberOrderColumn {
            guard order.text == "Z_FOK_\(before)\(old.name.uppercased())" else { return nil }
            result.memberOrderColumn = SQLName("Z_FOK_\(after)\(new.name.uppercased())")
        }
        return result
    }
}
