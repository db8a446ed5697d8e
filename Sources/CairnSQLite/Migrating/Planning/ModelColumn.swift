import CairnModel
import CairnSQL

/// A column that a version of the model requires in a root's table.
struct ModelColumn {
    enum Role: Hashable {
        /// The value of an attribute, or of an element of a composite.
        case value
        /// The key of a to-one relationship's destination.
        case key
        /// The entity number of a to-one relationship's destination.
        case entity
        /// The object's order key among the members of a to-one relationship's destination.
        case order
    }

    var name: SQLName
    var role: Role
    /// The column's type, as written in `CREATE TABLE`.
    var declaration: String
    /// The type of the value. `nil` for a relationship.
    var type: AttributeType?
    /// The property, as declared by its own entity.
    var property: Property
    /// The element names inside a composite, outermost first.
    var path: [String] = []
    /// The entities whose rows use the column, by number.
    var users: [Entity] = []

    /// Returns the columns of a root's table, by entity and slot.
    static func all(of root: Entity, in map: SchemaMap) -> [ModelColumn] {
        var columns: [ModelColumn] = []
        var indexes: [SQLName: Int] = [:]
        for entity in root.hierarchy {
            for slot in map.schema(of: entity)?.slots ?? [] {
                for column in all(of: slot) {
                    let index = indexes[column.name] ?? columns.count
                    if index == columns.count { columns.append(column) }
                    indexes[column.name] = index
                    columns[index].users.append(entity)
                }
            }
        }
        return columns
    }

    /// Returns the columns of one slot.
    static func all(of slot: SlotColumn) -> [ModelColumn] {
        func column(_ name: SQLName, _ role: Role) -> ModelColumn {
            ModelColumn(
                name: name, role: role, declaration: "INTEGER", type: nil, property: slot.property)
        }
        switch slot.form {
        case .toOne(let key, let entity, let order):
            return [column(key, .key)] + (entity.map { [column($0, .entity)] } ?? [])
                + (order.map { [column($0, .order)] } ?? [])
        case .value(let name):
            guard case .attribute(let attribute) = slot.property else { return [] }
            return [
                ModelColumn(
                    name: name, role: .value,
                    declaration: SchemaBuilder.declaration(of: attribute.type),
                    type: attribute.type, property: slot.property)
            ]
        case .composite(let elements):
            return elements.map {
                ModelColumn(
                    name: $0.name, role: .value,
                    declaration: SchemaBuilder.declaration(of: $0.type), type: $0.type,
                    property: slot.property, path: $0.path)
            }
        }
    }

    /// Whether both columns hold the same part of a property.
    func isSamePart(as other: ModelColumn) -> Bool { role == other.role && path == other.path }
}
