import CairnModel

extension HeldEntities {
    /// Checks that the store takes all objects of a request, and that all values are inside of their
    /// rows. For engines that keep no bytes outside of rows.
    ///
    /// - Parameter layouts: those of the store's ``OpenRequest``.
    /// - Throws: `.unsupported` for an abstract entity, and for an entity that the store does not hold;
    ///   `.unsupportedValue` for a reference to bytes outside of a row.
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
            // The file that a reference names belongs to another store, and goes with it.
            guard case .reference = row.externalBinary(slot) else { continue }
            throw .unsupportedValue(
                entity: layout.entity.name, attribute: property.name,
                reason: "its bytes are outside of its row; the store wants them inside")
        }
    }
}
