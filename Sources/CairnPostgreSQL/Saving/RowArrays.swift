import CairnModel
import CairnRows
import CairnStore
import Foundation

/// The values of rows of one table, as an array for each column.
struct RowArrays {
    private let table: PostgresTable
    private let schema: StoreSchema
    private var keys = PostgresArray(of: .int8)
    private var versions = PostgresArray(of: .int8)
    private var entities = PostgresArray(of: .int2)
    private var values: [PostgresArray]
    /// By index of the column.
    private var destinations: [Int: PostgresArray] = [:]
    /// The indices of the columns that are written.
    private let written: [Int]
    /// The slots with the indices of their columns, of the entity of the last row.
    private var last: (entity: EntityNumber, cells: [(slot: RowLayout.Slot, index: Int)])?

    /// - Parameter changed: the slots, by entity, whose columns are written, or `nil` for all.
    init(
        _ table: PostgresTable, _ schema: StoreSchema, only changed: [EntityNumber: SlotSet]? = nil
    ) {
        self.table = table
        self.schema = schema
        values = table.columns.map { PostgresArray(of: $0.type) }
        written =
            changed.map { changed in
                Set(
                    changed.flatMap { entity, changed in
                        let slots = table.slots[entity] ?? []
                        return slots.indices.filter(changed.contains).map { slots[$0] }
                    }
                ).sorted()
            } ?? Array(table.columns.indices)
        for index in written where table.columns[index].entity != nil {
            destinations[index] = PostgresArray(of: .int2)
        }
    }

    var byteCount: Int { values.reduce(keys.byteCount) { $0 + $1.byteCount } }

    /// Adds a row of one of the table's entities.
    ///
    /// - Throws: `.unsupportedValue` for a value that the server cannot store.
    mutating func append(_ row: Row) throws(StoreError) {
        guard let cells = cells(of: row.entity) else { return }
        keys.append(row.key)
        versions.append(row.version)
        entities.append(schema.number(of: row.entity) ?? 0)
        for (slot, index) in cells where !row.isNull(slot) {
            do throws(Refusal) {
                try append(row, slot, at: index)
            } catch {
                let layout = schema.layouts.layout(of: row.entity)
                throw .unsupportedValue(
                    entity: schema.name(of: row.entity),
                    attribute: layout?.properties[Int(slot.index)].name ?? "",
                    reason: error.reason)
            }
        }
        // Columns that the row does not have, or whose values are `nil`.
        for index in written where values[index].count < keys.count {
            values[index].appendNull()
            destinations[index]?.appendNull()
        }
    }

    private mutating func cells(
        of entity: EntityNumber
    ) -> [(slot: RowLayout.Slot, index: Int)]? {
        if let last, last.entity == entity { return last.cells }
        guard let slots = table.slots[entity], let layout = schema.layouts.layout(of: entity)
        else { return nil }
        let isWritten = Set(written)
        let cells = zip(layout.slots, slots).filter { isWritten.contains($1) }
            .map { (slot: $0, index: $1) }
        last = (entity, cells)
        return cells
    }

    private struct Refusal: Error { let reason: String }

    private mutating func append(
        _ row: Row, _ slot: RowLayout.Slot, at index: Int
    ) throws(Refusal) {
        switch slot.kind {
        case .boolean: values[index].append(UInt8(row.boolean(slot) ? 1 : 0))
        case .int16: values[index].append(row.int16(slot))
        case .int32: values[index].append(row.int32(slot))
        case .int64: values[index].append(row.int64(slot))
        case .float: values[index].append(row.float(slot).bitPattern)
        case .double, .date: values[index].append(row.double(slot).bitPattern)
        case .decimal:
            let decimal = row.decimal(slot)
            values[index].append(bytes: Array((decimal.isNaN ? "NaN" : "\(decimal)").utf8))
        case .uuid:
            values[index].append(bytes: withUnsafeBytes(of: row.uuid(slot).uuid) { Array($0) })
        case .toOne:
            let id = row.objectID(slot)
            values[index].append(id.key)
            // The destination may be an object that the store never had, of an entity that it does not know.
            destinations[index]?.append(
                schema.number(of: id.entity) ?? schema.number(of: id.rootEntity) ?? 0)
        case .string, .uri:
            let bytes = row.unsafeBytes(slot)
            if bytes.contains(0) {
                throw Refusal(reason: "a PostgreSQL text cannot contain U+0000")
            }
            values[index].append(bytes: bytes)
        case .binary, .transformable, .composite: values[index].append(bytes: row.unsafeBytes(slot))
        case .externalBinary:
            guard case .inline(let data) = row.externalBinary(slot) else {
                throw Refusal(reason: "its bytes are outside the row, in a file of another store")
            }
            values[index].append(bytes: data)
        }
    }

    // MARK: Statements

    /// Returns the columns' names, their names in the arrays, and the expressions that convert the arrays' values.
    private static func columns(
        _ table: PostgresTable, _ written: some Sequence<Int>
    ) -> [(name: String, array: String, value: String)] {
        var columns: [(String, String, String)] = []
        for index in written {
            let (column, array) = (table.columns[index], "c\(index)")
            columns.append(
                (column.name, array, column.kind == .decimal ? "r.\(array)::numeric" : "r.\(array)")
            )
            if let entity = column.entity { columns.append((entity, "e\(index)", "r.e\(index)")) }
        }
        return columns
    }

    private var parameters: [PostgresParameter] {
        var all = [keys.parameter, versions.parameter, entities.parameter]
        for index in written {
            all.append(values[index].parameter)
            if let entities = destinations[index] { all.append(entities.parameter) }
        }
        return all
    }

    private static func source(_ names: [String]) -> String {
        let marks = names.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        return "unnest(\(marks)) AS r(\(names.joined(separator: ", ")))"
    }

    /// Inserts the rows.
    var insertion: PostgresStatement { PostgresStatement(table.insertion, parameters) }

    /// Returns the text of the statement that inserts rows with all columns.
    static func insertion(into table: PostgresTable) -> String {
        let columns = columns(table, table.columns.indices)
        let names = (["_key", "_version", "_entity"] + columns.map(\.name)).joined(separator: ", ")
        let values = (["r.k", "r.v", "r.e"] + columns.map(\.value)).joined(separator: ", ")
        return """
            INSERT INTO \(table.name) (\(names)) SELECT \(values)
            FROM \(source(["k", "v", "e"] + columns.map(\.array))) ON CONFLICT (_key) DO NOTHING
            """
    }

    /// Replaces the rows that have the previous versions. A member that moves to another owner loses its order key.
    func update(previous: some Sequence<Int64>) -> PostgresStatement {
        let columns = Self.columns(table, written)
        var assignments = columns.map { "\($0.name) = \($0.value)" }
        for index in written {
            let column = table.columns[index]
            guard let position = column.position else { continue }
            assignments.append(
                "\(position) = CASE WHEN t.\(column.name) = r.c\(index) THEN t.\(position) END")
        }
        return PostgresStatement(
            """
            UPDATE \(table.name) AS t SET _version = r.v, _entity = r.e\
            \(assignments.map { ", \($0)" }.joined())
            FROM \(Self.source(["k", "v", "e"] + columns.map(\.array) + ["previous"]))
            WHERE t._key = r.k AND t._version = r.previous
            """, parameters + [.integers(previous)])
    }
}
