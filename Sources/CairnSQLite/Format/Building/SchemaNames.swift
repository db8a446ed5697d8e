import CairnModel
import CairnSQL

/// The names that Core Data gives to the tables and columns of a model.
///
/// These names follow only from the rules in docs/formats/sqlite.md. The names that an existing
/// store really uses are found by ``SchemaMap``.
struct SchemaNames {
    let entities: StoreEntities
    private let joinsElementNames: Bool
    /// The table of each root entity.
    private(set) var tables: [EntityNumber: SQLName] = [:]
    private var columns: [Key: SQLName] = [:]
    private(set) var joinTables: [Relationship: JoinTable] = [:]

    private struct Key: Hashable {
        var entity: EntityNumber
        var property: String
        /// The names of nested elements inside a composite attribute, outermost first.
        var path: [String]
    }

    /// Table names that are reserved for the format itself.
    static let bookkeepingTables = [
        "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION",
        "ATRANSACTIONSTRING",
    ]
    static let fixedColumns = ["Z_PK", "Z_ENT", "Z_OPT"]

    /// - Parameter joinsElementNames: Whether the name of an element's column begins with the name
    ///   of the composite attribute, as in stores that Cairn created before Core Data's form was
    ///   known.
    init(_ entities: StoreEntities, joinsElementNames: Bool = false) {
        self.entities = entities
        self.joinsElementNames = joinsElementNames
        var tablePool = SQLNamePool(reserved: Self.bookkeepingTables)
        for (entity, _) in entities.entities where entity.superentity == nil {
            tables[entity.number] = tablePool.take("Z" + entity.name.uppercased())
            nameColumns(in: entity)
        }
        let relationships = Self.manyToManys(of: entities)
        let keyColumns = joinKeyColumns(of: relationships)
        for relationship in relationships where joinTables[relationship] == nil {
            nameJoinTable(of: relationship, keyColumns, &tablePool)
        }
    }

    /// Returns the relationships that have a join table, by entity number and name.
    ///
    /// A relationship whose destination is not in the store has no join table.
    private static func manyToManys(of entities: StoreEntities) -> [Relationship] {
        entities.entities.flatMap { entity, _ in
            entity.ownRelationships.filter { relationship in
                relationship.isManyToMany
                    && entities.storeNumber(of: relationship.destination.number) != nil
            }
        }
    }

    /// Returns the column that holds the owner's key in each relationship's join table.
    ///
    /// A column name is used only once across all join tables. The second relationship that would
    /// use a name gets it with the suffix 1, the third with the suffix 2 (docs/formats/sqlite.md).
    private func joinKeyColumns(of relationships: [Relationship]) -> [Relationship: SQLName] {
        var pool = SQLNamePool()
        var columns: [Relationship: SQLName] = [:]
        for relationship in relationships {
            guard let inverse = relationship.inverse else { continue }
            columns[relationship] = pool.take(
                "Z_\(number(of: relationship.entity))\(inverse.name.uppercased())")
        }
        return columns
    }

    /// Returns the column of an attribute, or of the element at `path` inside a composite
    /// attribute.
    func column(of attribute: Attribute, path: [String] = []) -> SQLName? {
        columns[Key(entity: attribute.entity.number, property: attribute.name, path: path)]
    }

    /// Returns the column that holds the key of a to-one relationship's destination.
    func column(of relationship: Relationship) -> SQLName? {
        columns[Key(entity: relationship.entity.number, property: relationship.name, path: [])]
    }

    /// Returns the column that holds the entity number of a to-one relationship's destination.
    /// Returns `nil` if the destination has no subentities, because its entity number is then
    /// known.
    func entityColumn(of relationship: Relationship) -> SQLName? {
        let destination = relationship.destination
        guard !destination.subentities.isEmpty,
            let number = entities.storeNumber(of: destination.number),
            let column = column(of: relationship)
        else { return nil }
        return SQLName("Z\(number)_\(column.text.dropFirst())")
    }

    /// Returns the column that holds the object's order key among the members of its owner. Returns
    /// `nil` if the inverse is not ordered.
    func orderColumn(of relationship: Relationship) -> SQLName? {
        guard let inverse = relationship.inverse, inverse.isOrdered, inverse.isToMany,
            let column = column(of: relationship)
        else { return nil }
        return SQLName("Z_FOK_\(column.text.dropFirst())")
    }

    /// If two subentities use the same name, the later one in entity order gets a number.
    private mutating func nameColumns(in root: Entity) {
        var pool = SQLNamePool(reserved: Self.fixedColumns)
        let members = entities.entities.filter { $0.entity.rootEntity == root }
        for (entity, _) in members {
            for property in entity.ownProperties where property.storage.rowSlot != nil {
                let key = Key(entity: entity.number, property: property.name, path: [])
                if case .attribute(let attribute) = property, attribute.type == .composite {
                    nameElements(of: attribute, &pool)
                } else {
                    columns[key] = pool.take("Z" + property.name.uppercased())
                }
            }
        }
    }

    /// Gives each element that is not itself a composite a column of its own, which is named after
    /// the element alone. The declared order of the elements has no influence.
    private mutating func nameElements(of attribute: Attribute, _ pool: inout SQLNamePool) {
        let elements = attribute.leafElements.sorted {
            $0.path.lexicographicallyPrecedes($1.path) { $0.isBefore($1) }
        }
        for element in elements {
            let name =
                joinsElementNames
                ? ([attribute.name] + element.path).joined(separator: "_")
                : element.path.last ?? attribute.name
            let key = Key(
                entity: attribute.entity.number, property: attribute.name, path: element.path)
            columns[key] = pool.take("Z" + name.uppercased())
        }
    }

    private mutating func nameJoinTable(
        of first: Relationship, _ keyColumns: [Relationship: SQLName],
        _ tables: inout SQLNamePool
    ) {
        guard let inverse = first.inverse else {
            return nameOneSidedJoinTable(of: first, &tables)
        }
        // The relationship on the side with the lower number names the table. If both relationships
        // belong to one entity, the later name does.
        let low = number(of: first.entity)
        let high = number(of: inverse.entity)
        let swaps = low == high ? first.name.isBefore(inverse.name) : low > high
        let (naming, other) = swaps ? (inverse, first) : (first, inverse)
        let table = tables.take("Z_\(min(low, high))\(naming.name.uppercased())")
        guard let owner = keyColumns[naming], let otherOwner = keyColumns[other] else { return }
        let member = other == naming ? Self.reflexiveColumn : otherOwner
        let join = JoinTable(
            table: table, ownerColumn: owner, memberColumn: member,
            memberOrderColumn: naming.isOrdered ? Self.orderName(member) : nil,
            ownerOrderColumn: other.isOrdered && other != naming ? Self.orderName(owner) : nil)
        joinTables[naming] = join
        if other != naming { joinTables[other] = join.seenFromMember }
    }

    /// Names a join table as if there were an inverse called `owner`. This is Cairn's own form: a
    /// member may have many owners, which Core Data's form cannot store
    /// (``JoinTable/isMembersTable``).
    private mutating func nameOneSidedJoinTable(
        of relationship: Relationship, _ tables: inout SQLNamePool
    ) {
        let number = number(of: relationship.entity)
        let name = relationship.name.uppercased()
        var pool = SQLNamePool()
        let table = tables.take("Z_\(number)\(name)")
        let owner = pool.take("Z_\(number)OWNER")
        let member = pool.take("Z_\(self.number(of: relationship.destination))\(name)")
        joinTables[relationship] = JoinTable(
            table: table, ownerColumn: owner, memberColumn: member,
            memberOrderColumn: relationship.isOrdered ? Self.orderName(member) : nil,
            ownerOrderColumn: nil)
    }

    /// The second key column in the join table of a relationship that is its own inverse.
    static let reflexiveColumn = SQLName("REFLEXIVE")

    static func orderName(_ column: SQLName) -> SQLName {
        SQLName("Z_FOK_" + column.text.dropFirst(2))
    }

    private func number(of entity: Entity) -> Int64 {
        entities.storeNumber(of: entity.number) ?? 0
    }
}

extension String {
    /// Whether the string precedes `other` in the order of UTF-8 code units.
    func isBefore(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}

extension Entity {
    /// The persistent relationships that the entity itself declares.
    var ownRelationships: [Relationship] {
        ownProperties.compactMap {
            if case .relationship(let it) = $0, !it.isTransient { it } else { nil }
        }
    }
}

extension Attribute {
    /// An element of a composite that is not itself a composite.
    struct LeafElement: Sendable {
        /// The element names, outermost first.
        var path: [String]
        var type: AttributeType
    }

    /// The elements of a composite attribute in declared order. A nested composite is replaced by
    /// its own elements.
    var leafElements: [LeafElement] {
        composite.map { leaves(of: $0, below: []) } ?? []
    }

    // The recursion ends, because the model compiler rejects a composite that contains itself.
    private func leaves(
        of composite: CompositeDescription, below path: [String]
    ) -> [LeafElement] {
        composite.elements.flatMap { element -> [LeafElement] in
            let elementPath = path + [element.name]
            guard element.type == .composite else {
                return [LeafElement(path: elementPath, type: element.type)]
            }
            let inner = element.compositeName.flatMap { entity.model.composite(named: $0) }
            return inner.map { leaves(of: $0, below: elementPath) } ?? []
        }
    }
}

/// Hands out unique names. A name that is already taken gets the suffix 1, 2, and so on.
struct SQLNamePool {
    private var taken: Set<String>

    init(reserved: [String] = []) { taken = Set(reserved.map { $0.uppercased() }) }

    /// Returns the name if it is free. Otherwise returns its first numbered form that is free.
    ///
    /// NUL characters are replaced, because they would end the SQL text.
    mutating func take(_ wanted: String) -> SQLName {
        let hasNUL = wanted.utf8.contains(0)
        let wanted = hasNUL ? wanted.replacing("\0", with: "\u{FFFD}") : wanted
        var name = wanted
        var number = 1
        // SQLite compares names without regard to case.
        while !taken.insert(name.uppercased()).inserted {
            name = "\(wanted)\(number)"
            number += 1
        }
        return SQLName(name)
    }
}
