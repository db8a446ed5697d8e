import CairnModel
import CairnRows
import CairnSQL
import CairnStore

/// The tables and columns of one store that hold each part of a model.
///
/// Columns are found by name, not by position, because Core Data's migrations in place append new
/// columns. Tables, columns and indexes that are not in the model are left alone.
struct SchemaMap: Sendable {
    let model: ManagedObjectModel
    let layouts: RowLayouts
    let entities: StoreEntities
    /// The schemas by entity number; number 1 is at index 0. `nil` for an entity that the store
    /// does not hold.
    private let schemas: [EntitySchema?]
    private let joinTables: [Relationship: JoinTable]

    /// Maps the model to the tables and columns of a new store.
    init(creating entities: StoreEntities, layouts: RowLayouts) {
        let names = SchemaNames(entities)
        model = layouts.model
        self.layouts = layouts
        self.entities = entities
        schemas = layouts.model.entities.map { EntitySchema($0, names: names, layouts: layouts) }
        joinTables = names.joinTables
    }

    /// Maps the model to the tables and columns of an existing store.
    ///
    /// - Parameter configured: The entities that the store is opened for. A store that was created without
    ///   a configuration may have tables of an earlier version of other entities. The map then leaves
    ///   out all other entities. If `nil`, no entity may be left out.
    /// - Throws: `.corrupt` if a table or column is missing.
    init(
        matching entities: StoreEntities, layouts: RowLayouts, catalog: SchemaCatalog,
        at location: StoreLocation, configured: [Entity]? = nil
    ) throws(StoreError) {
        do {
            try self.init(entities, listed: entities, layouts, catalog, location)
        } catch {
            guard let held = configured.map(entities.inTrees),
                let map = try? SchemaMap(held, listed: entities, layouts, catalog, location)
            else { throw error }
            self = map
        }
    }

    /// - Parameter listed: All entities of the store, which determine the names of tables and columns.
    private init(
        _ entities: StoreEntities, listed: StoreEntities, _ layouts: RowLayouts,
        _ catalog: SchemaCatalog, _ location: StoreLocation
    ) throws(StoreError) {
        do {
            try self.init(entities, SchemaNames(listed), layouts, catalog, location)
        } catch {
            let names = SchemaNames(listed, joinsElementNames: true)
            guard !layouts.model.description.composites.isEmpty,
                let map = try? SchemaMap(entities, names, layouts, catalog, location)
            else { throw error }
            self = map
        }
    }

    private init(
        _ entities: StoreEntities, _ names: SchemaNames, _ layouts: RowLayouts,
        _ catalog: SchemaCatalog, _ location: StoreLocation
    ) throws(StoreError) {
        let matcher = SchemaMatcher(names: names, catalog: catalog, location: location)
        var schemas: [EntitySchema?] = []
        for entity in layouts.model.entities {
            let isHeld = entities.storeNumber(of: entity.number) != nil
            if isHeld, let expected = EntitySchema(entity, names: names, layouts: layouts) {
                schemas.append(try matcher.match(expected))
            } else {
                schemas.append(nil)
            }
        }
        model = layouts.model
        self.layouts = layouts
        self.entities = entities
        self.schemas = schemas
        joinTables = try JoinTableMatcher(
            entities: entities, names: names, catalog: catalog, location: location
        ).match()
    }

    /// Returns the table and columns of the entity's rows, or `nil` if the store does not hold the
    /// entity.
    func schema(of entity: EntityNumber) -> EntitySchema? {
        let index = Int(entity.rawValue) - 1
        return schemas.indices.contains(index) ? schemas[index] : nil
    }

    /// Returns the table and columns of the entity's rows, or `nil` if the store does not hold the
    /// entity.
    func schema(of entity: Entity) -> EntitySchema? { schema(of: entity.number) }

    /// Returns the columns of an attribute, or `nil` if the store does not hold the attribute.
    func column(of attribute: Attribute) -> SlotColumn? {
        attribute.rowSlot.flatMap { schema(of: attribute.entity)?.slots[$0] }
    }

    /// Returns the columns of a to-one relationship, or `nil` if the store does not hold it.
    func column(of relationship: Relationship) -> SlotColumn? {
        relationship.rowSlot.flatMap { schema(of: relationship.entity)?.slots[$0] }
    }

    /// Returns the join table of a many-to-many relationship, or `nil` for any other relationship.
    func joinTable(of relationship: Relationship) -> JoinTable? { joinTables[relationship] }

    /// Returns the store's number for an entity, or `nil` if the store does not hold the entity.
    func storeNumber(of entity: EntityNumber) -> Int64? { entities.storeNumber(of: entity) }

    /// Returns the store's numbers for the entities in `range` that the store holds.
    func storeNumbers(of range: Range<EntityNumber>) -> [Int64] {
        (range.lowerBound.rawValue..<range.upperBound.rawValue).compactMap {
            entities.storeNumber(of: EntityNumber($0))
        }
    }

    /// Returns the model's number for the entity with the given number in the store, or `nil` if
    /// the model has no such entity.
    func entityNumber(forStoreNumber number: Int64) -> EntityNumber? {
        entities.entityNumber(forStoreNumber: number)
    }
}

/// The table and columns that hold the rows of one concrete entity.
struct EntitySchema: Sendable {
    let entity: Entity
    /// The number that the store uses for the entity, as in `Z_ENT`.
    let storeNumber: Int64
    /// The table of the root entity, which all its subentities share.
    var table: SQLName
    /// The columns, by row slot.
    var slots: [SlotColumn]

    /// Returns `nil` if the store does not hold the entity.
    init?(_ entity: Entity, names: SchemaNames, layouts: RowLayouts) {
        guard let number = names.entities.storeNumber(of: entity.number),
            let table = names.tables[entity.rootEntity.number]
        else { return nil }
        self.entity = entity
        storeNumber = number
        self.table = table
        let layout = layouts.layout(of: entity)
        slots = zip(layout.slots, layout.properties).compactMap {
            SlotColumn($0, $1, names: names)
        }
        // All ancestors of an entity in the store are in the store too, so each slot has a name.
        guard slots.count == layout.slots.count else { return nil }
    }
}

/// The table that holds the pairs of a many-to-many relationship, as seen from one of its two
/// sides.
struct JoinTable: Sendable, Hashable {
    var table: SQLName
    /// The column with the key of the object that has the relationship.
    var ownerColumn: SQLName
    /// The column with the key of the object that the relationship leads to.
    var memberColumn: SQLName
    /// The column with the member's order key among the owner's members. `nil` if the relationship
    /// is not ordered.
    var memberOrderColumn: SQLName?
    /// The column with the owner's order key in the member's inverse. `nil` if the inverse is not
    /// ordered.
    var ownerOrderColumn: SQLName?
    /// Whether the owner's column comes first in the table.
    var isOwnerFirst = true
    /// Whether this is the members' own table, in which each row has at most one owner. Core Data
    /// stores a to-many relationship without an inverse in this way.
    var isMembersTable = false

    /// The same table as seen from the inverse.
    var seenFromMember: JoinTable {
        JoinTable(
            table: table, ownerColumn: memberColumn, memberColumn: ownerColumn,
            memberOrderColumn: ownerOrderColumn, ownerOrderColumn: memberOrderColumn,
            isOwnerFirst: !isOwnerFirst)
    }
}
