import CairnModel
import CairnRows

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
