import CairnModel

/// Works out what happens to the join tables.
///
/// A table that stays keeps the side that names it, as Core Data's own migrations do
/// (docs/formats/sqlite.md).
struct JoinPlanner {
    let pairs: EntityPairs
    let continuity: RelationshipContinuity
    let oldMap: SchemaMap
    let newMap: SchemaMap

    /// Returns the plans in the order of entity number and relationship name. Returns `nil` if two
    /// tables would get one name, or if the form of a table changes.
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

    /// Returns the join tables of the store that the new version does not have.
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

    /// The entity and the relationship after which a key column is named.
    private typealias Side = (entity: Entity, name: String)

    /// The side of the owner's column: without an inverse our own tables call it `OWNER`.
    private func side(_ relationship: Relationship, _ inverse: Relationship?) -> Side {
        (relationship.entity, inverse?.name ?? "owner")
    }

    private func memberSide(_ relationship: Relationship) -> Side {
        (relationship.inverse?.entity ?? relationship.destination, relationship.name)
    }

    /// A name `Z_<number><NAME>`, with a number appended or not, for the new version.
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

    /// The column in the members' own table in which Core Data keeps a to-many without an inverse.
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
