import CairnModel
import CairnStore

/// Checks that a store holds the entities whose objects a save changes.
struct EntityCheck {
    let tables: StoreTables
    let location: StoreLocation

    /// - Throws: `.unsupported` with the first entity that the store does not hold, or that has no
    ///   objects because it is abstract.
    func check(_ request: SaveRequest) throws(StoreError) {
        var last: EntityNumber?
        for index in request.inserted.rowIndices {
            // Rows usually come in runs of the same entity.
            let entity = request.inserted.pointer(at: index).entity
            if entity == last { continue }
            try checkConcrete(entity)
            last = entity
        }
        for update in request.updated { try checkConcrete(update.row.entity) }
        if tables.isPartial { try checkDestinations(request) }
        // An ID may not name the concrete entity.
        for deletion in request.deleted { try checkHeld(deletion.id) }
        for pair in request.pairs {
            try checkHeld(pair.owner)
            try checkHeld(pair.member)
        }
    }

    /// Checks that the store lists the destination entities of to-one relationships and pairs,
    /// because it stores their numbers.
    private func checkDestinations(_ request: SaveRequest) throws(StoreError) {
        for row in Array(request.inserted.rows) + request.updated.map(\.row) {
            guard let layout = tables.layouts.layout(of: row.entity) else { continue }
            for slot in layout.slots where slot.kind == .toOne && !row.isNull(slot) {
                try checkListed(row.objectID(slot).entity)
            }
        }
        for pair in request.pairs {
            try checkListed(pair.owner.entity)
            try checkListed(pair.member.entity)
        }
    }

    private func checkListed(_ entity: EntityNumber) throws(StoreError) {
        if tables.tables(of: entity) == nil {
            _ = try tables.heldTables(of: entity, at: location)
        }
    }

    private func checkConcrete(_ entity: EntityNumber) throws(StoreError) {
        let tables = try tables.heldTables(of: entity, at: location)
        guard !tables.isAbstract else {
            throw .unsupported(
                location, feature: "no objects of \(tables.name)",
                advice: "The entity is abstract. Save objects of its subentities.")
        }
    }

    private func checkHeld(_ id: ObjectID) throws(StoreError) {
        _ = try tables.heldTables(of: id.rootEntity, at: location)
    }
}
