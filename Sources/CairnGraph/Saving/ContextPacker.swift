import CairnModel
import CairnStore

/// Packs the current values of a context's objects into rows.
final class ContextPacker: RowPacking {
    private let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) {
        self.context = context
    }

    func pack(
        _ id: ObjectID, key: Int64, version: Int64, into writer: inout RowWriter,
        resolving permanent: (ObjectID) -> ObjectID
    ) throws(GraphError) {
        guard let object = context.identityMap[id] else { throw .objectGone(id) }
        let layout = object.kind.layout
        let (overlay, stored) = (object.overlay, object.row)
        writer.begin(layout, key: key, version: version)
        let isPacked: Bool? = try overlay?.withAllValues { values throws(GraphError) in
            // The values stay where they are: a copy of each would count references.
            for slot in layout.slots {
                let value = values + Int(slot.index)
                if value.pointee.isNull { continue }
                try Self.set(value.pointee, at: slot, of: layout, in: &writer, permanent)
            }
            return true
        }
        if isPacked == true { return writer.endRow() }
        for slot in layout.slots {
            if let value = overlay?.value(at: Int(slot.index)) {
                try Self.set(value, at: slot, of: layout, in: &writer, permanent)
            } else if let stored {
                try Self.copy(slot, of: object, from: stored, to: &writer, permanent)
            }
        }
        writer.endRow()
    }

    @inline(__always) private static func set(
        _ value: Value, at slot: RowLayout.Slot, of layout: RowLayout,
        in writer: inout RowWriter, _ permanent: (ObjectID) -> ObjectID
    ) throws(GraphError) {
        if slot.kind == .toOne, case .objectID(let id) = value {
            let destination = permanent(id)
            writer.set(key: destination.key, entity: destination.entity, at: slot)
            return
        }
        do throws(RowError) {
            try writer.set(value, at: slot, of: layout)
        } catch {
            throw GraphError(error)
        }
    }

    /// Bytes are copied as they are, so that values kept outside of the row stay there.
    private static func copy(
        _ slot: RowLayout.Slot, of object: ManagedObject, from row: Row,
        to writer: inout RowWriter, _ permanent: (ObjectID) -> ObjectID
    ) throws(GraphError) {
        if slot.kind == .toOne {
            guard case .objectID(let id) = object.raw(slot, in: row) else { return }
            let destination = permanent(id)
            writer.set(key: destination.key, entity: destination.entity, at: slot)
            return
        }
        do throws(RowError) {
            try writer.set(slot, from: row)
        } catch {
            throw GraphError(error)
        }
    }
}

extension GraphError {
    fileprivate init(_ error: RowError) {
        switch error {
        case .wrongType(let entity, let property, let expected):
            self = .wrongType(
                entity: entity, property: property, expected: expected, found: "another type")
        case .tooLarge(let entity, let property):
            self = .store(
                .unsupportedValue(
                    entity: entity, attribute: property, reason: "its row would exceed 2 GiB"))
        }
    }
}
