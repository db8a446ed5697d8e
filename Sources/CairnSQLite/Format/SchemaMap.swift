import CairnModel
import CairnStore

/// The tables and columns of one store that hold each part of a model.
///
/// Columns are found by name, never by position, because Core Data's migrations in place append new
/// ones. Tables, columns and indexes that the model does not know are left alone.
struct SchemaMap: Sendable {
    let model: ManagedObjectModel
    let layouts: RowLayouts
    let entities: StoreEntities
    /// By entity number, from 1 at index 0. `nil` for an entity that the store does not hold.
    private let schemas: [EntitySchema?]
    private let joinTables: [Relationship: JoinTable]

    /// Maps the model as a new store has it.
    init(creating entities: StoreEntities, layouts: RowLayouts) {
        let names = SchemaNames(entities)
        model = layouts.model
        self.layouts = layouts
        self.entities = entities
        schemas = layouts.model.entities.map { EntitySchema($0, names: names, layouts: layouts) }
        joinTables = names.joinTables
    }

    /// Maps the model to what an existing store has.
    ///
    /// - Throws: `.corrupt` if a table or column is missing.
    init(
        matching entities: StoreEntities, layouts: RowLayouts, catalog: SchemaCatalog,
        at location: StoreLocation
    ) throws(StoreError) {
        let matcher = SchemaMatcher(
            names: SchemaNames(entities), catalog: catalog, location: location)
        var schemas: [EntitySchema?] = []
        for entity in layouts.model.entities {
            let expected = EntitySchema(entity, names: matcher.names, layouts: layouts)
            if let expected {
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
            names: matcher.names, catalog: catalog, location: location
        ).match()
    }

    /// Returns the table and the columns of the entity's rows. Returns `nil` for an entity that the
    /// store does not hold.
    func schema(of entity: EntityNumber) -> EntitySchema? {
        let index = Int(entity.rawValue) - 1
        return schemas.indices.contains(index) ? schemas[index] : nil
    }

    /// Returns the table and the columns of the entity's rows. Returns `nil` for an entity that the
    /// store does not hold.
    func schema(of entity: Entity) -> EntitySchema? { schema(of: entity.number) }

    /// Returns the columns of an attribute. Returns `nil` if the store does not keep it.
    func column(of attribute: Attribute) -> SlotColumn? {
        attribute.rowSlot.flatMap { schema(of: attribute.entity)?.slots[$0] }
    }

    /// Returns the columns of a to-one. Returns `nil` if the store does not keep it.
    func column(of relationship: Relationship) -> SlotColumn? {
        relationship.rowSlot.flatMap { schema(of: relationship.entity)?.slots[$0] }
    }

    /// Returns the table of a many-to-many's pairs. Returns `nil` for any other relationship.
    func joinTable(of relationship: Relationship) -> JoinTable? { joinTables[relationship] }

    /// Returns the store's number of an entity. Returns `nil` for one that the store does not hold.
    func storeNumber(of entity: EntityNumber) -> Int64? { entities.storeNumber(of: entity) }

    /// Returns the store's numbers of those entities that it holds.
    func storeNumbers(of range: Range<EntityNumber>) -> [Int64] {
        (range.lowerBound.rawValue..<range.upperBound.rawValue).compactMap {
            entities.storeNumber(of: EntityNumber($0))
        }
    }

    /// Returns the model's number for one of the store. Returns `nil` if the model has no such
    /// entity.
    func entityNumber(forStoreNumber number: Int64) -> EntityNumber? {
        entities.entityNumber(forStoreNumber: number)
    }
}
