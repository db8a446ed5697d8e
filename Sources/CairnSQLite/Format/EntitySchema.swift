import CairnModel
import CairnStore

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
