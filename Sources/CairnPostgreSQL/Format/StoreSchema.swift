import CairnEngineKit
import CairnModel
import CairnRows
import CairnSQL
import CairnStore

/// The tables of one store, and the numbers that it gives to entities.
struct StoreSchema: Sendable {
    /// The pairs of a many-to-many relationship: columns `owner`, `member`, `owner_position` and `member_position`.
    struct Pairs: Sendable {
        /// The name with its schema, quoted.
        let sql: SQLText
        let relationship: PairRelationship

        var name: String { sql.text }
    }

    /// A to-one relationship with an inverse, which saves must not break.
    struct Reference: Sendable {
        let relationship: Relationship
        let inverse: Relationship
        let column: PostgresTable.Column

        var isOneToOne: Bool { !inverse.isToMany }
    }

    /// The greatest number of a save that a store may contain. A greater one is damage, and leaves no room to count on.
    static let mostNumber: Int64 = 1 << 62

    let store: StoreNumber
    let location: StoreLocation
    let layouts: RowLayouts
    /// The schema's name, quoted and with a dot, for the engine's own tables.
    let prefix: String
    /// The server's number of the table `cairn_commits`, which another store that takes the schema's name does not have.
    let identity: Int64
    /// By root entity.
    let tables: [EntityNumber: PostgresTable]
    /// By the relationship that owns the pairs.
    let pairs: [Relationship: Pairs]
    let references: [Reference]
    /// The model's entities by the store's numbers.
    private let entities: [Int16: EntityNumber]
    /// The store's numbers by the model's.
    private let numbers: [EntityNumber: Int16]

    /// - Parameter entities: the names of the store's entities by their numbers.
    init(
        _ request: OpenRequest, store: StoreNumber, schema: String, _ names: PostgresNames,
        entities: [Int16: String], identity: Int64 = 0
    ) {
        self.store = store
        location = request.location
        layouts = request.layouts
        prefix = "\(schema.quoted)."
        self.identity = identity
        let known = Set(entities.values)
        var tables: [EntityNumber: PostgresTable] = [:]
        for root in request.model.entities where root.superentity == nil {
            tables[root.number] = PostgresTable(root, in: schema, names, layouts, known: known)
        }
        self.tables = tables
        var pairs: [Relationship: Pairs] = [:]
        for entity in request.model.entities {
            for case .relationship(let relationship) in entity.ownProperties {
                let key = PostgresNames.Key(
                    entity: entity.name, property: relationship.name, role: .pairs)
                if let pair = PairRelationship(relationship), let name = names[key] {
                    pairs[relationship] = Pairs(
                        sql: "\(SQLName(quoting: schema)).\(SQLName(quoting: name))",
                        relationship: pair)
                }
            }
        }
        self.pairs = pairs
        references = request.model.entities.flatMap { entity in
            entity.ownProperties.compactMap { property in
                guard case .relationship(let relationship) = property, !relationship.isToMany,
                    let inverse = relationship.inverse, !relationship.isTransient,
                    let column = tables[entity.rootEntity.number]?
                        .column(relationship.rowSlot, of: entity)
                else { return nil }
                return Reference(relationship: relationship, inverse: inverse, column: column)
            }
        }
        let numbered = entities.compactMap { number, name in
            request.model.entity(named: name).map { (number, $0.number) }
        }
        self.entities = Dictionary(uniqueKeysWithValues: numbered)
        numbers = Dictionary(
            numbered.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the model's number of an entity, or `nil` for one that the model does not have.
    func entity(_ number: Int16) -> EntityNumber? { entities[number] }

    /// Returns the store's number of an entity, or `nil` if the store was created with a model without it.
    func number(of entity: EntityNumber) -> Int16? { numbers[entity] }

    /// Returns the table of an entity whose objects the store can have.
    func table(of entity: Entity) -> PostgresTable? {
        guard let table = tables[entity.rootEntity.number], table.slots[entity.number] != nil else {
            return nil
        }
        return table
    }

    /// Returns the store's numbers of an entity and its subentities, as a list for SQL.
    func list(of entities: some Sequence<EntityNumber>) -> String {
        let numbers = entities.compactMap(number).map { "\($0)" }
        return numbers.isEmpty ? "NULL" : numbers.joined(separator: ", ")
    }

    /// Returns the table of a many-to-many relationship's pairs, and whether the relationship is the side that owns
    /// them.
    func pairs(of relationship: Relationship) -> (pairs: Pairs, isForward: Bool)? {
        if let own = pairs[relationship] { return (own, true) }
        guard let inverse = relationship.inverse, let own = pairs[inverse] else { return nil }
        return (own, false)
    }

    /// Returns the name of a root entity, for errors.
    func name(of entity: EntityNumber) -> String {
        layouts.model.entity(numbered: entity)?.name ?? "number \(entity.rawValue)"
    }

    /// The error of a handle whose store was replaced.
    var replaced: StoreError { .fileReplaced(location, path: prefix) }

    func corrupt(_ table: String, _ detail: String) -> StoreError {
        .corrupt(location, location: "the table \(table)", detail: detail)
    }
}
