import CairnModel
import CairnSQL
import CairnStore

/// Finds the join tables of a model among the tables that a store really has.
///
/// Stores written by Core Data differ in which side names a join table, and in which of two equally
/// named columns gets the suffix 1. Therefore a table is searched for under the names of both
/// sides, and its columns under the names that the table really has (docs/formats/sqlite.md).
struct JoinTableMatcher {
    /// The entities whose relationships are matched.
    let entities: StoreEntities
    let names: SchemaNames
    let catalog: SchemaCatalog
    let location: StoreLocation

    /// Returns the join tables with the names that the store uses.
    ///
    /// - Throws: `.corrupt` if a join table is missing. If several are missing, the error names the
    ///   first one by entity number and relationship name.
    func match() throws(StoreError) -> [Relationship: JoinTable] {
        var found: [Relationship: JoinTable] = [:]
        var taken: Set<SQLName> = []
        // Tables under the expected numbers come first, so that no other relationship takes them.
        for searchesOtherNumbers in [false, true] {
            for relationship in relationships where found[relationship] == nil {
                let join = JoinSearch(
                    relationship, names: names, catalog: catalog, taken: taken,
                    searchesOtherNumbers: searchesOtherNumbers
                ).result()
                guard let join else { continue }
                if !join.isMembersTable { taken.insert(join.table) }
                found[relationship] = join
                if let inverse = relationship.inverse, inverse != relationship {
                    found[inverse] = join.seenFromMember
                }
            }
        }
        for relationship in relationships where found[relationship] == nil {
            throw missing(relationship)
        }
        return found
    }

    /// The relationships with a join table, by entity number and name, so that the result depends
    /// only on the store.
    private var relationships: [Relationship] {
        entities.entities.flatMap { entity, _ in
            entity.ownRelationships.filter { names.joinTables[$0] != nil }
        }
    }

    private func missing(_ relationship: Relationship) -> StoreError {
        let table = names.joinTables[relationship]?.table.text ?? ""
        return .corrupt(
            location, location: "the schema",
            detail: "there is no table \(table) that contains the pairs of "
                + "\(relationship.entity.name).\(relationship.name)")
    }
}

/// The search for the join table of one relationship.
private struct JoinSearch {
    private let relationship: Relationship
    private let expected: JoinTable?
    private let names: SchemaNames
    private let catalog: SchemaCatalog
    private let taken: Set<SQLName>
    private let searchesOtherNumbers: Bool

    init(
        _ relationship: Relationship, names: SchemaNames, catalog: SchemaCatalog,
        taken: Set<SQLName>, searchesOtherNumbers: Bool
    ) {
        self.relationship = relationship
        expected = names.joinTables[relationship]
        self.names = names
        self.catalog = catalog
        self.taken = taken
        self.searchesOtherNumbers = searchesOtherNumbers
    }

    /// Returns the table as seen from the relationship. Returns `nil` if no table fits, or if
    /// several tables with other entity numbers fit.
    func result() -> JoinTable? {
        if let join = membersTable { return join }
        let tables = candidates.filter { !taken.contains($0) }
        let found = tables.compactMap(join(in:))
        return searchesOtherNumbers && found.count > 1 ? nil : found.first
    }

    /// The members' own table, if it has a column for the owner's key.
    private var membersTable: JoinTable? {
        guard relationship.inverse == nil,
            let table = names.tables[relationship.destination.rootEntity.number].map(existing)
        else { return nil }
        let name = relationship.name.uppercased()
        let plain = SQLName("Z\(number(of: relationship.entity))\(name)")
        let numbered = catalog.columns(of: table).filter {
            $0.isNumber(between: plain.text, and: "")
        }
        let owner =
            catalog.hasColumn(plain, in: table)
            ? plain
            : numbered.count == 1
                ? SQLName(numbered[0]) : catalog.column(in: table, prefix: "Z", suffix: name)
        guard let owner else { return nil }
        return JoinTable(
            table: table, ownerColumn: owner, memberColumn: SQLName("Z_PK"),
            memberOrderColumn: relationship.isOrdered
                ? catalog.column(in: table, prefix: "Z_FOK_", suffix: name) : nil,
            ownerOrderColumn: nil, isMembersTable: true)
    }

    /// Returns `table` if it exists. Otherwise returns the table named after the entity's renaming
    /// identifier, which a migration in place may have kept.
    private func existing(_ table: SQLName) -> SQLName {
        if catalog.hasTable(table) { return table }
        let root = relationship.destination.rootEntity
        return SQLName("Z" + root.renamingIdentifier.uppercased())
    }

    /// The tables that may hold the pairs, the most likely first.
    private var candidates: [SQLName] {
        guard let expected else { return [] }
        let ends = [relationship] + (relationship.inverse.map { [$0] } ?? [])
        guard searchesOtherNumbers else {
            let named = ends.map { SQLName("Z_\(number(of: $0.entity))\($0.name.uppercased())") }
            return ([expected.table] + named).filter(catalog.hasTable)
        }
        return catalog.tables.sorted().filter { table in
            ends.contains { table.isNumber(between: "Z_", and: $0.name.uppercased()) }
        }.map(SQLName.init(_:))
    }

    private func join(in table: SQLName) -> JoinTable? {
        guard let (owner, member) = keyColumns(of: table) else { return nil }
        let inverse = relationship.inverse
        let isOwnerFirst = expected?.isOwnerFirst ?? true
        return JoinTable(
            table: table, ownerColumn: owner, memberColumn: member,
            memberOrderColumn: relationship.isOrdered
                ? orderColumn(of: member, named: relationship.name, in: table) : nil,
            ownerOrderColumn: inverse.map { $0.isOrdered && $0 != relationship } == true
                ? orderColumn(of: owner, named: inverse?.name ?? "", in: table) : nil,
            isOwnerFirst: isOwnerFirst)
    }

    /// Returns the columns with the keys of the owner and of the member. A join table has exactly
    /// two key columns, so if the name of one is unknown, it is the remaining column.
    private func keyColumns(of table: SQLName) -> (owner: SQLName, member: SQLName)? {
        let keys = catalog.columns(of: table).filter { !$0.hasPrefix("Z_FOK_") }
        let destination = relationship.inverse?.entity ?? relationship.destination
        let isReflexive = relationship.inverse == relationship
        let member =
            isReflexive
            ? nil : pick(keys, named: relationship.name, number: number(of: destination))
        let owner = relationship.inverse.flatMap {
            pick(keys, named: $0.name, number: number(of: relationship.entity))
        }
        let names: (owner: String, member: String)? =
            switch (owner, member) {
            case (let owner?, let member?): (owner, member)
            case (let owner?, nil): other(than: owner, in: keys).map { (owner, $0) }
            case (nil, let member?): other(than: member, in: keys).map { ($0, member) }
            case (nil, nil): nil
            }
        guard let names, names.owner != names.member else { return nil }
        return (SQLName(names.owner), SQLName(names.member))
    }

    private func other(than column: String, in keys: [String]) -> String? {
        let others = keys.filter { $0 != column }
        return others.count == 1 ? others.first : nil
    }

    /// Returns the column `Z_<number><NAME>`, or that name with a number appended. If the table has
    /// neither, returns the only column with this name under another entity number.
    private func pick(_ columns: [String], named name: String, number: Int64) -> String? {
        let name = name.uppercased()
        let plain = "Z_\(number)\(name)"
        if columns.contains(plain) { return plain }
        let choices = [
            columns.filter { $0.isNumber(between: plain, and: "") },
            columns.filter { $0.isNumber(between: "Z_", and: name) },
            columns.filter { column in
                let stem = column.trimmingDigits()
                return stem != column && stem.isNumber(between: "Z_", and: name)
            },
        ]
        return choices.first { !$0.isEmpty }.flatMap { $0.count == 1 ? $0[0] : nil }
    }

    /// Returns the column with the order keys of the objects whose keys are in the column `key`.
    private func orderColumn(
        of key: SQLName, named name: String, in table: SQLName
    ) -> SQLName? {
        let expected = SchemaNames.orderName(key)
        if catalog.hasColumn(expected, in: table) { return expected }
        return catalog.column(in: table, prefix: "Z_FOK_", suffix: name.uppercased())
    }

    private func number(of entity: Entity) -> Int64 {
        names.entities.storeNumber(of: entity.number) ?? 0
    }
}

extension String {
    /// Returns the string without its trailing digits.
    fileprivate func trimmingDigits() -> String {
        var text = self
        while let last = text.utf8.last, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(last) {
            text.removeLast()
        }
        return text
    }
}
