import CairnModel
import CairnRows
import CairnSQL

/// The table of a root entity, with the objects of its whole hierarchy.
struct PostgresTable: Sendable {
    /// A property's column. Those of subentities are NULL in the rows of other entities.
    struct Column: Sendable {
        let column: SQLName
        let kind: RowLayout.Kind
        /// For a to-one relationship whose destination may have several entities: the column of the entity.
        let entity: String?
        /// For a to-one relationship whose destination has a single entity: that entity.
        let onlyEntity: EntityNumber?
        /// For the inverse of an ordered to-many relationship: the column of the order key.
        let position: String?
        /// The index of the value among the columns that a `SELECT` lists.
        let index: Int

        /// The name, quoted.
        var name: String { column.description }

        var type: PostgresType {
            switch kind {
            case .boolean: .bool
            case .int16: .int2
            case .int32: .int4
            case .int64, .toOne: .int8
            case .float: .float4
            case .double, .date: .float8
            // As text on the way: the binary form of `numeric` is harder to read and to write.
            case .decimal, .string, .uri: .text
            case .uuid: .uuid
            case .binary, .externalBinary, .transformable, .composite: .bytea
            }
        }

        /// The type as which predicates and indexes take values, if it is not that in the table: Booleans are compared as
        /// the numbers 0 and 1, and floats as doubles.
        var comparedType: String? {
            switch kind {
            case .boolean: "int4"
            case .float: "float8"
            default: nil
            }
        }

        /// The type in the table.
        var declaration: String {
            switch kind {
            case .decimal: "numeric"
            // The collation "C" orders by bytes, which is the order of Unicode scalars.
            case .string, .uri: "text COLLATE \"C\""
            default: type.name
            }
        }
    }

    /// Where a result has the value of a slot.
    struct Cell: Sendable {
        let slot: RowLayout.Slot
        /// The index among the columns that a `SELECT` lists.
        let index: Int32
        let onlyEntity: EntityNumber?
    }

    /// The name with its schema, quoted.
    let sql: SQLText
    let root: Entity
    let columns: [Column]
    /// For each entity that the store knows, the index in ``columns`` of each slot.
    let slots: [EntityNumber: [Int]]
    /// The cells of the same entities.
    let cells: [EntityNumber: [Cell]]
    /// The columns of a `SELECT` of whole rows.
    private(set) var wholeRow = ""
    /// The statement that inserts rows, given as arrays. One whose key is taken is left out, so that the count tells.
    private(set) var insertion = ""

    var name: String { sql.text }

    /// Returns `nil` if the store has no table for the entity.
    init?(
        _ root: Entity, in schema: String, _ names: PostgresNames, _ layouts: RowLayouts,
        known: Set<String>
    ) {
        guard let name = names[.init(entity: root.name, property: "", role: .table)] else {
            return nil
        }
        var columns: [Column] = []
        var indices: [PostgresNames.Key: Int] = [:]
        var slots: [EntityNumber: [Int]] = [:]
        var width = 3
        for entity in root.hierarchy where known.contains(entity.name) {
            let layout = layouts.layout(of: entity)
            var ofEntity: [Int] = []
            for (property, slot) in zip(layout.properties, layout.slots) {
                let key = Self.key(of: property)
                if indices[key] == nil,
                    let column = Self.column(property, slot, key, names, at: width)
                {
                    indices[key] = columns.count
                    columns.append(column)
                    width += column.entity == nil ? 1 : 2
                }
                if let index = indices[key] { ofEntity.append(index) }
            }
            // An entity of another configuration may have changed. The store then holds none of its objects.
            if ofEntity.count == layout.slots.count { slots[entity.number] = ofEntity }
        }
        sql = "\(SQLName(quoting: schema)).\(SQLName(quoting: name))"
        self.root = root
        self.columns = columns
        self.slots = slots
        cells = slots.reduce(into: [:]) { cells, it in
            let slots = layouts.layout(of: it.key)?.slots ?? []
            cells[it.key] = zip(slots, it.value).map { slot, index in
                Cell(
                    slot: slot, index: Int32(columns[index].index),
                    onlyEntity: columns[index].onlyEntity)
            }
        }
        wholeRow = selection()
        insertion = RowArrays.insertion(into: self)
    }

    /// The columns of a `SELECT`: key, version and entity, then the values.
    ///
    /// - Parameters:
    ///   - prefix: an alias with a dot.
    ///   - needed: the slots whose values are needed, or `nil` for all. The others are NULL.
    func selection(of prefix: String = "", _ needed: SlotSet? = nil) -> String {
        var isNeeded = [Bool](repeating: needed == nil, count: columns.count)
        if let needed {
            for slots in slots.values {
                for (slot, index) in slots.enumerated() where needed.contains(slot) {
                    isNeeded[index] = true
                }
            }
        }
        var list = ["\(prefix)_key", "\(prefix)_version", "\(prefix)_entity"]
        for (index, column) in columns.enumerated() {
            let value =
                column.kind == .decimal ? "\(prefix)\(column.name)::text" : prefix + column.name
            list.append(isNeeded[index] ? value : "NULL")
            if let entity = column.entity {
                list.append(isNeeded[index] ? prefix + entity : "NULL")
            }
        }
        return list.joined(separator: ", ")
    }

    private static func key(of property: Property) -> PostgresNames.Key {
        let entity =
            switch property {
            case .attribute(let attribute): attribute.entity
            case .relationship(let relationship): relationship.entity
            case .fetchedProperty(let fetched): fetched.entity
            }
        return PostgresNames.Key(entity: entity.name, property: property.name, role: .column)
    }

    private static func column(
        _ property: Property, _ slot: RowLayout.Slot, _ key: PostgresNames.Key,
        _ names: PostgresNames, at index: Int
    ) -> Column? {
        func name(_ role: PostgresNames.Role) -> String? {
            names[.init(entity: key.entity, property: key.property, role: role)]?.quoted
        }
        guard let column = names[key] else { return nil }
        var only: EntityNumber?
        if case .relationship(let relationship) = property, name(.entity) == nil {
            only = relationship.destination.rootEntity.number
        }
        return Column(
            column: SQLName(quoting: column), kind: slot.kind, entity: name(.entity),
            onlyEntity: only,
            position: name(.position), index: index)
    }

    /// Returns the column of a property of an entity, or `nil` if the store has none.
    func column(_ slot: Int?, of entity: Entity) -> Column? {
        guard let slot, let slots = slots[entity.number], slots.indices.contains(slot) else {
            return nil
        }
        return columns[slots[slot]]
    }
}
