import CairnModel
import CairnStore

/// Packs rows that were packed before with other keys.
final class RowRepacking: RowPacking {
    private let rows: [ObjectID: Row]
    private let layouts: RowLayouts?

    init(rows: [ObjectID: Row], layouts: RowLayouts?) {
        self.rows = rows
        self.layouts = layouts
    }

    func pack(
        _ id: ObjectID, key: Int64, version: Int64, into writer: inout RowWriter,
        resolving permanent: (ObjectID) -> ObjectID
    ) throws(GraphError) {
        guard let row = rows[id], let layout = layouts?.layout(of: row.entity) else {
            throw .objectGone(id)
        }
        writer.begin(layout, key: key, version: version, fixedSlotsOf: row)
        for slot in layout.slots where !row.isNull(slot) {
            if slot.kind == .toOne {
                let destination = permanent(row.objectID(slot))
                writer.set(key: destination.key, entity: destination.entity, at: slot)
            } else if slot.kind.isVariable {
                do throws(RowError) {
                    try writer.set(slot, from: row)
                } catch {
                    throw GraphError(error)
                }
            }
        }
        writer.endRow()
    }
}
