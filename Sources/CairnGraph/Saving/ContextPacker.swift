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
        let stored = object.row
        writer.begin(layout, key: key, version: version)
        for slot in layout.slots {
            if let value = object.overlay?.value(at: Int(slot.index)) {
                try Self.set(value, at: slot, of: layout, in: &writer, permanent)
            } else if let stored, !stored.isNull(slot) {
                try Self.copy(slot, of: layout, from: stored, to: &writer, permanent)
            }
        }
        writer.endRow()
    }

    private static func set(
        _ value: Value, at slot: RowLayout.Slot, of layout: RowLayout,
        in writer: inout RowWriter, _ permanent: (ObjectID) -> ObjectID
    ) throws(GraphError) {
        if case .objectID(let id) = value, slot.kind == .toOne {
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
        _ slot: RowLayout.Slot, of layout: RowLayout, from row: Row,
        to writer: inout RowWriter, _ permanent: (ObjectID) -> ObjectID
    ) throws(GraphError) {
        switch slot.kind {
        case .string, .uri, .binary, .externalBinary, .transformable, .composite:
            do throws(RowError) {
                try writer.set(bytes: row.unsafeBytes(slot), at: slot)
            } catch {
                throw GraphError(error)
            }
        default: try set(row.value(slot), at: slot, of: layout, in: &writer, permanent)
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
