import CairnModel
import CairnRows
import CairnStore

extension HeldEntities {
    /// Checks that the store accepts all objects of a request, and that no row refers to bytes
    /// outside of itself. For engines that store no bytes outside of rows.
    ///
    /// - Parameters:
    ///   - request: the request to check.
    ///   - layouts: the row layouts of the store's ``OpenRequest``.
    /// - Throws: `.unsupported` for an abstract entity, and for an entity that the store does not
    ///   hold; `.unsupportedValue` for a reference to bytes outside of a row.
    public func require(_ request: SaveRequest, layouts: RowLayouts) throws(StoreError) {
        for row in request.updated.map(\.row) + request.inserted.rows {
            try requireRows(of: row.entity, below: row.rootEntity)
            try Self.requireInlineBytes(row, layouts)
        }
        for deletion in request.deleted { try require(deletion.id.rootEntity) }
        for pair in request.pairs {
            try require(pair.owner.rootEntity)
            try require(pair.member.rootEntity)
        }
    }

    private static func requireInlineBytes(
        _ row: Row, _ layouts: RowLayouts
    ) throws(StoreError) {
        guard let layout = layouts.layout(of: row.entity) else { return }
        for (slot, property) in zip(layout.slots, layout.properties)
        where slot.kind == .externalBinary && !row.isNull(slot) {
            // The referenced file belongs to another store, and is moved or removed with that
            // store.
            guard case .reference = row.externalBinary(slot) else { continue }
            throw .unsupportedValue(
                entity: layout.entity.name, attribute: property.name,
                reason: "its bytes are outside the row, but this store needs them inside the row")
        }
    }
}
