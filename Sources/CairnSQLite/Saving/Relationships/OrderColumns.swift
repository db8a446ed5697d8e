import CairnModel

/// The columns that hold an object's order key among an owner's members, by concrete entity.
struct OrderColumns: Sendable {
    private var columns: [EntityNumber: [SlotColumn]] = [:]

    init(_ map: SchemaMap) {
        for (entity, _) in map.entities.entities {
            let ordered = (map.schema(of: entity)?.slots ?? []).filter {
                if case .toOne(_, _, _?) = $0.form { true } else { false }
            }
            if !ordered.isEmpty { columns[entity.number] = ordered }
        }
    }

    var isEmpty: Bool { columns.isEmpty }

    subscript(entity: EntityNumber) -> [SlotColumn] { columns[entity] ?? [] }
}
