import CairnModel
import CairnRows
import CairnSQL

/// The uniqueness constraints of a model, with the columns that hold their values.
///
/// A table holds a whole inheritance tree. Therefore, as in Core Data's stores, a constraint of one
/// entity applies to the rows of all entities of its tree.
struct UniqueColumns: Sendable {
    /// A constraint as declared by its entity.
    struct Constraint: Sendable {
        var entity: Entity
        var properties: [String]
        var columns: [SQLName]
    }

    /// The constraints by root entity.
    private var constraints: [EntityNumber: [Constraint]] = [:]
    /// The slots that are part of a constraint, by concrete entity.
    private var slots: [EntityNumber: SlotSet] = [:]

    init(_ map: SchemaMap) {
        for (entity, _) in map.entities.entities {
            guard let table = map.schema(of: entity)?.table else { continue }
            let builder = IndexBuilder(map: map, table: table)
            for properties in entity.description.uniquenessConstraints {
                let columns = properties.compactMap { builder.column($0, of: entity) }
                guard columns.count == properties.count, !columns.isEmpty else { continue }
                constraints[entity.rootEntity.number, default: []].append(
                    Constraint(entity: entity, properties: properties, columns: columns))
            }
        }
        for (entity, _) in map.entities.entities {
            let unique = Set(constraints(ofRoot: entity.rootEntity.number).flatMap(\.columns))
            guard !unique.isEmpty, let schema = map.schema(of: entity) else { continue }
            for (index, slot) in schema.slots.enumerated()
            where !unique.isDisjoint(with: slot.valueNames) {
                slots[entity.number, default: []].insert(index)
            }
        }
    }

    /// Returns the constraints that apply to the rows of the root's tree.
    func constraints(ofRoot root: EntityNumber) -> [Constraint] { constraints[root] ?? [] }

    /// Whether any of the changed slots of the entity is part of a constraint.
    func touches(_ changed: SlotSet, of entity: EntityNumber) -> Bool {
        guard let unique = slots[entity] else { return false }
        return changed.contains(where: unique.contains)
    }

    /// Returns the columns of the changed slots that are part of a constraint.
    func names(in changed: SlotSet, of schema: EntitySchema) -> [SQLName] {
        let unique = Set(constraints(ofRoot: schema.entity.rootEntity.number).flatMap(\.columns))
        return changed.filter(schema.slots.indices.contains)
            .flatMap { schema.slots[$0].valueNames }.filter(unique.contains)
    }
}

extension SlotColumn {
    /// The columns of the slot's value: the key of a to-one relationship, or the leaves of a
    /// composite.
    var valueNames: [SQLName] {
        if case .composite(let elements) = form {
            elements.map(\.name)
        } else {
            [name].compactMap(\.self)
        }
    }
}
