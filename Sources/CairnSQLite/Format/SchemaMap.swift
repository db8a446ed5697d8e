import CairnModel
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
    /// - Throws: `.corrupt` if a table or column is missing.
    init(
        matching entities: StoreEntities, layouts: RowLayouts, catalog: SchemaCatalog,
        at location: StoreLocation
    ) throws(StoreError) {
        do throws(StoreError) {
            try self.init(SchemaNames(entities), layouts, catalog, location)
        } catch {
            let names = SchemaNames(entities, joinsElementNames: true)
            guard !layouts.model.description.composites.isEmpty,
                let map = try? SchemaMap(names, layouts, catalog, location)
            else { throw error }
            self = map
        }
    }

    private init(
        _ names: SchemaNames, _ layouts: RowLayouts, _ catalog: SchemaCatalog,
        _ location: StoreLocation
    ) throws(StoreError) {
        let matcher = SchemaMatcher(names: names, catalog: catalog, location: location)
        var schemas: [EntitySchema?] = []
        for entity in layouts.model.entities {
            let expected = EntitySchema(entity, names: names, layouts: layouts)
            if let expected {
                schemas.append(try matcher.match(expected))
            } else {
                schemas.append(nil)
            }
        }
        model = layouts.model
        self.layouts = layouts
        entities = names.entities
        self.schemas = schemas
        joinTables = try JoinTableMatcher(
            names: names, catalog: catalog, location: location
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
