import CairnModel
import CairnStore

/// Where each part of a model stands in one store.
///
/// Columns are found by name, never by position, because Core Data's in-place migrations append
/// them; tables, columns and indexes that the model does not know are left alone.
struct SchemaMap: Sendable {
    let model: ManagedObjectModel
    let layouts: RowLayouts
    let entities: StoreEntities
    /// By entity number, from 1 at index 0; nil for an entity that the store does not hold.
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
    /// - Throws: `.corrupt`, where a table or column is not there.
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

    /// Returns where the entity's rows stand; nil for one that the store does not hold.
    func schema(of entity: EntityNumber) -> EntitySchema? {
        let index = Int(entity.rawValue) - 1
        return schemas.indices.contains(index) ? schemas[index] : nil
    }

    /// Returns where the entity's rows stand; nil for one that the store does not hold.
    func schema(of entity: Entity) -> EntitySchema? { schema(of: entity.number) }

    /// Returns the columns of an attribute. Returns `nil` if the store does not keep it.
    func column(of attribute: Attribute) -> SlotColumn? {
        attribute.rowSlot.flatMap { schema(of: attribute.entity)?.slots[$0] }
    }

    /// Returns the columns of a to-one. Returns `nil` if the store does not keep it.
    func column(of relationship: Relationship) -> SlotColumn? {
        relationship.rowSlot.flatMap { schema(of: relationship.entity)?.slots[$0] }
    }

    /// Returns the table of a many-to-many's pairs; nil for any other relationship.
    func joinTable(of relationship: Relationship) -> JoinTable? { joinTables[relationship] }

    /// Returns the store's number of an entity; nil for one that the store does not hold.
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

/// Where the rows of one concrete entity stand.
struct EntitySchema: Sendable {
    let entity: Entity
    /// The number that the store gives the entity: what `Z_ENT` holds.
    let storeNumber: Int64
    /// The table of the root entity, which all its subentities share.
    var table: SQLName
    /// By row slot.
    var slots: [SlotColumn]

    /// `nil` for an entity that the store does not hold.
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
        // Every ancestor of an entity in the store is in it too, so no slot is without a name.
        guard slots.count == layout.slots.count else { return nil }
    }
}

/// The columns that hold the value of one row slot.
struct SlotColumn: Sendable {
    /// One column for a value, up to three for a to-one, one for each leaf of a composite.
    enum Form: Sendable {
        case value(SQLName)
        /// `entity` holds the destination's `Z_ENT` and is nil where the destination has no
        /// subentities (or the store has no such column); `order` holds the place of the object
        /// among the destination's members and is nil where the inverse has no order.
        case toOne(key: SQLName, entity: SQLName?, order: SQLName?)
        case composite([Element])
    }

    /// A column of an element that is no composite itself.
    struct Element: Sendable {
        /// Names from the outside in.
        var path: [String]
        var type: AttributeType
        var name: SQLName
    }

    let slot: RowLayout.Slot
    let property: Property
    var form: Form

    init?(_ slot: RowLayout.Slot, _ property: Property, names: SchemaNames) {
        self.slot = slot
        self.property = property
        switch property {
        case .attribute(let attribute) where attribute.type == .composite:
            form = .composite(
                attribute.leafElements.compactMap { leaf in
                    names.column(of: attribute, path: leaf.path).map {
                        Element(path: leaf.path, type: leaf.type, name: $0)
                    }
                })
        case .attribute(let attribute):
            guard let name = names.column(of: attribute) else { return nil }
            form = .value(name)
        case .relationship(let relationship):
            guard let name = names.column(of: relationship) else { return nil }
            form = .toOne(
                key: name, entity: names.entityColumn(of: relationship),
                order: names.orderColumn(of: relationship))
        case .fetchedProperty: return nil
        }
    }

    /// The column of a value or of a to-one's key; nil for a composite.
    var name: SQLName? {
        switch form {
        case .value(let name), .toOne(let name, _, _): name
        case .composite: nil
        }
    }
}
