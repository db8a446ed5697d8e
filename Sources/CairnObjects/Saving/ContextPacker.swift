import CairnModel
import CairnRows
import CairnStack

/// The current values of a context's objects, for a save.
struct ContextPacker: ChildObjects {
    private let context: ManagedObjectContext
    /// The values of moved objects that their former store keeps outside their rows.
    private let externalValues: [ObjectID: [RowSlot: Value]]

    init(
        _ context: ManagedObjectContext,
        moving externalValues: [ObjectID: [RowSlot: Value]] = [:]
    ) {
        self.context = context
        self.externalValues = externalValues
    }

    func pack(
        _ id: ObjectID, key: Int64, version: Int64, into writer: inout RowWriter,
        resolving permanent: (ObjectID) -> ObjectID
    ) throws(GraphError) {
        guard let object = context.identityMap[id] else { throw .objectGone(id, .leftContext) }
        let layout = object.kind.layout
        let (overlay, stored) = (object.overlay, object.row)
        if let values = overlay?.allValues {
            if let packing = object.kind.valuePacking,
                writer.addRow(
                    packing.blank, key: key, version: version,
                    { packing.write(values, to: &$0, permanent) })
            {
                return
            }
            writer.begin(layout, key: key, version: version)
            for slot in layout.slots {
                try Self.set(values + Int(slot.index), at: slot, of: layout, in: &writer, permanent)
            }
        } else if let stored, stored.entity == layout.entity.number {
            writer.begin(layout, key: key, version: version, fixedSlotsOf: stored)
            for slot in layout.slots {
                if let value = overlay?.changed(slot.rowSlot) {
                    if value.pointee.isNull {
                        writer.setNull(at: slot)
                    } else {
                        try Self.set(value, at: slot, of: layout, in: &writer, permanent)
                    }
                } else if slot.kind.isVariable || slot.kind == .toOne {
                    try copy(slot, of: object, from: stored, to: &writer, permanent)
                }
            }
        } else {
            writer.begin(layout, key: key, version: version)
            for slot in layout.slots {
                if let value = overlay?.changed(slot.rowSlot) {
                    try Self.set(value, at: slot, of: layout, in: &writer, permanent)
                } else if let stored {
                    try copy(slot, of: object, from: stored, to: &writer, permanent)
                }
            }
        }
        writer.endRow()
    }

    func childChanges(of changes: ChangeSet) throws(GraphError) -> ChildChanges {
        try ChildChanges(changes, of: context)
    }

    /// Writes a value. The value is not copied, and the most frequent types are packed here: passing a
    /// copy of each value to another function would count references.
    @inline(__always) private static func set(
        _ value: UnsafePointer<Value>, at slot: RowLayout.Slot, of layout: RowLayout,
        in writer: inout RowWriter, _ permanent: (ObjectID) -> ObjectID
    ) throws(GraphError) {
        // Switches over the value alone, because a switch over value and kind would copy the value.
        switch value.pointee {
        case .null: return
        case .integer(let number) where slot.kind == .int64: return writer.set(number, at: slot)
        case .double(let number) where slot.kind == .double: return writer.set(number, at: slot)
        case .boolean(let flag) where slot.kind == .boolean: return writer.set(flag, at: slot)
        case .date(let date) where slot.kind == .date:
            return writer.set(date.timeIntervalSinceReferenceDate, at: slot)
        case .objectID(let id) where slot.kind == .toOne:
            let destination = permanent(id)
            return writer.set(key: destination.key, entity: destination.entity, at: slot)
        default: break
        }
        do {
            if slot.kind == .string, case .string(let text) = value.pointee {
                try writer.set(text, at: slot)
            } else {
                try writer.set(value.pointee, at: slot, of: layout)
            }
        } catch {
            throw GraphError(error)
        }
    }

    /// Copies the stored bytes without decoding them, so that values that are stored outside the row stay
    /// there, unless the object moves.
    private func copy(
        _ slot: RowLayout.Slot, of object: ManagedObject, from row: Row,
        to writer: inout RowWriter, _ permanent: (ObjectID) -> ObjectID
    ) throws(GraphError) {
        if slot.kind == .toOne {
            guard case .objectID(let id) = object.raw(slot, in: row) else { return }
            let destination = permanent(id)
            writer.set(key: destination.key, entity: destination.entity, at: slot)
            return
        }
        do {
            if !externalValues.isEmpty, let value = externalValues[object.objectID]?[slot.rowSlot] {
                try writer.set(value, at: slot, of: object.kind.layout)
            } else {
                try writer.set(slot, from: row)
            }
        } catch {
            throw GraphError(error)
        }
    }
}
