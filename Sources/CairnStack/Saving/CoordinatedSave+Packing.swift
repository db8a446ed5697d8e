import CairnModel
import CairnRows
import CairnStore

extension CoordinatedSave {
    /// Packs each row of the change set once, with its permanent ID, into the requests of the stores.
    ///
    /// - Throws: `.saveCancelled`; `.relationshipAcrossStores`; `.objectGone` for a destination that is
    ///   new but not part of the save; the errors of packing the objects.
    func packRows() throws(GraphError) {
        for save in saves { try fillRequest(of: save) }
    }

    private func fillRequest(of save: StoreSave) throws(GraphError) {
        var writer = RowWriter(
            store: save.attached.number, rowCount: save.inserted.count + save.updated.count)
        for id in save.inserted {
            try pack(permanentIDs.current(id), of: id, version: 1, into: &writer)
        }
        save.request.inserted = writer.takeBatch()
        for update in save.updated {
            // Wraps around, because a damaged store may contain any version.
            let version = update.previousVersion &+ 1
            try pack(update.id, of: update.id, version: version, into: &writer)
        }
        save.updatedRows = writer.takeBatch()
        save.request.updated = zip(save.updatedRows.rows, save.updated).map { row, update in
            RowUpdate(
                row: row, previousVersion: update.previousVersion,
                changedSlots: update.changedSlots)
        }
        save.request.pairs = try resolve(save.request.pairs)
        save.request.author = changes.author
        save.request.contextName = changes.contextName
    }

    private func pack(
        _ permanentID: ObjectID, of id: ObjectID, version: Int64, into writer: inout RowWriter
    ) throws(GraphError) {
        /// The current ID of a destination in another store.
        var elsewhere: ObjectID?
        try changes.watch?.checkCancelled()
        try objects.pack(id, key: permanentID.key, version: version, into: &writer) {
            let destination = permanentIDs.current($0)
            if destination.store != permanentID.store { elsewhere = $0 }
            return destination
        }
        guard let elsewhere else { return }
        if permanentIDs.current(elsewhere).isTemporary { throw .objectGone(elsewhere, .notInStore) }
        throw acrossStores(writer.takeBatch(), of: id, leadingTo: elsewhere)
    }

    /// Returns the error for the to-one relationship of the last row that leads to another store.
    private func acrossStores(
        _ rows: RowBatch, of source: ObjectID, leadingTo destination: ObjectID
    ) -> GraphError {
        let id = permanentIDs.current(destination)
        guard let index = rows.rowIndices.last,
            let layout = journalModel.layouts.layout(of: rows[row: index].entity)
        else { return .objectGone(destination, .notInStore) }
        let row = rows[row: index]
        let slot = layout.slots.first {
            $0.kind == .toOne && !row.isNull($0) && row.objectID($0).key == id.key
                && $0.destinationRoot == id.rootEntity
        }
        let name = slot.map { layout.property(at: $0).name } ?? ""
        return .relationshipAcrossStores(
            entity: layout.entity.name, relationship: name, from: source, to: destination)
    }

    private func resolve(_ pairs: [PairChange]) throws(GraphError) -> [PairChange] {
        var resolved: [PairChange] = []
        resolved.reserveCapacity(pairs.count)
        for present in pairs {
            var pair = present
            pair.owner = permanentIDs.current(pair.owner)
            pair.member = permanentIDs.current(pair.member)
            if pair.member.isTemporary { throw .objectGone(pair.member, .notInStore) }
            guard pair.owner.store == pair.member.store else {
                throw .relationshipAcrossStores(
                    entity: pair.relationship.entity.name,
                    relationship: pair.relationship.name, from: present.owner, to: present.member)
            }
            resolved.append(pair)
        }
        return resolved
    }
}
