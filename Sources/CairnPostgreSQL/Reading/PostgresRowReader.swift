import CairnModel
import CairnRows
import CairnStore
import Foundation

/// Packs the rows of a result, whose columns are those of ``PostgresTable/selection(of:_:)``.
struct PostgresRowReader: ~Copyable {
    let schema: StoreSchema
    private var writer: RowWriter

    init(_ schema: StoreSchema, rowCount: Int) {
        self.schema = schema
        writer = RowWriter(store: schema.store, rowCount: rowCount)
    }

    /// Returns the IDs of rows whose first columns are the key and the entity.
    ///
    /// - Throws: `.corrupt`.
    static func ids(
        _ result: PostgresResult, of table: PostgresTable, _ schema: StoreSchema, at first: Int = 0
    ) throws(StoreError) -> [ObjectID] {
        var ids: [ObjectID] = []
        ids.reserveCapacity(result.rowCount)
        // Most rows are of one entity.
        var last: (number: Int16, entity: EntityNumber)?
        for row in 0..<result.rowCount {
            guard let known = last, result.integer(row, first + 1) == known.number,
                let key = result.integer(row, first, as: Int64.self), key > 0
            else {
                let id = try id(result, row, of: table, schema, at: first)
                last = result.integer(row, first + 1).map { ($0, id.entity) }
                ids.append(id)
                continue
            }
            ids.append(
                ObjectID(
                    store: schema.store, rootEntity: table.root.number, entity: known.entity,
                    key: key))
        }
        return ids
    }

    static func id(
        _ result: PostgresResult, _ row: Int, of table: PostgresTable, _ schema: StoreSchema,
        at first: Int
    ) throws(StoreError) -> ObjectID {
        guard let key = result.integer(row, first, as: Int64.self), key > 0,
            let entity = result.integer(row, first + 1, as: Int16.self).flatMap(schema.entity),
            table.slots[entity] != nil
        else { throw schema.corrupt(table.name, "a row has no valid key and entity") }
        return ObjectID(
            store: schema.store, rootEntity: table.root.number, entity: entity, key: key)
    }

    /// Adds all rows of a result.
    ///
    /// - Throws: `.corrupt` for a value that no save can have written.
    mutating func append(_ result: PostgresResult, of table: PostgresTable) throws(StoreError) {
        // Most rows are of one entity.
        var known: (number: Int16, layout: RowLayout, cells: [PostgresTable.Cell])?
        for row in 0..<result.rowCount {
            guard let key = result.integer(row, 0, as: Int64.self), key > 0,
                let version = result.integer(row, 1, as: Int64.self), version > 0,
                let number = result.integer(row, 2, as: Int16.self)
            else { throw invalid(table) }
            if known?.number != number {
                guard let entity = schema.entity(number), let cells = table.cells[entity],
                    let layout = schema.layouts.layout(of: entity)
                else { throw invalid(table) }
                known = (number, layout, cells)
            }
            guard let (_, layout, cells) = known else { continue }
            writer.begin(layout, key: key, version: version)
            for cell in cells { try set(result, row, cell, table, key) }
            writer.endRow()
        }
    }

    private func invalid(_ table: PostgresTable) -> StoreError {
        schema.corrupt(table.name, "a row has no valid key, version and entity")
    }

    private mutating func set(
        _ result: PostgresResult, _ row: Int, _ cell: PostgresTable.Cell, _ table: PostgresTable,
        _ key: Int64
    ) throws(StoreError) {
        let bytes = result.bytes(row, cell.index)
        if bytes.isEmpty, result.isNull(row, Int(cell.index)) { return }
        do {
            guard try set(bytes, cell, result, row) else { throw Unreadable() }
        } catch {
            let name = table.columns.first { $0.index == Int(cell.index) }?.name ?? ""
            throw schema.corrupt(
                table.name, "the column \(name) of the row \(key) has no valid value")
        }
    }

    private struct Unreadable: Error {}

    mutating func takeBatch() -> RowBatch { writer.takeBatch() }

    /// Returns `false` if the value does not have the form of the column's type.
    private mutating func set(
        _ bytes: UnsafeRawBufferPointer, _ cell: PostgresTable.Cell, _ result: PostgresResult,
        _ row: Int
    ) throws(RowError) -> Bool {
        let slot = cell.slot
        func integer<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type) -> T? {
            bytes.count == MemoryLayout<T>.size
                ? T(bigEndian: bytes.loadUnaligned(as: type)) : nil
        }
        switch slot.kind {
        case .boolean: return integer(UInt8.self).map { writer.set($0 != 0, at: slot) } != nil
        case .int16: return integer(Int16.self).map { writer.set($0, at: slot) } != nil
        case .int32: return integer(Int32.self).map { writer.set($0, at: slot) } != nil
        case .int64: return integer(Int64.self).map { writer.set($0, at: slot) } != nil
        case .float:
            return integer(UInt32.self).map { writer.set(Float(bitPattern: $0), at: slot) } != nil
        case .double, .date:
            return integer(UInt64.self).map { writer.set(Double(bitPattern: $0), at: slot) } != nil
        case .decimal:
            return DecimalText.decimal(String(decoding: bytes, as: UTF8.self))
                .map { writer.set($0, at: slot) } != nil
        case .uuid:
            guard bytes.count == 16 else { return false }
            writer.set(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)), at: slot)
        case .toOne:
            guard let key = integer(Int64.self), key > 0 else { return false }
            let entity =
                cell.onlyEntity
                ?? result.integer(row, Int(cell.index) + 1, as: Int16.self).flatMap(schema.entity)
            guard let entity else { return false }
            writer.set(key: key, entity: entity, at: slot)
        case .externalBinary: try writer.set(.inline(Data(bytes)), at: slot)
        case .string, .uri, .binary, .transformable, .composite:
            try writer.set(bytes: bytes, at: slot)
        }
        return true
    }
}

/// Decimals as the server's text.
enum DecimalText {
    /// Returns the number, or `nil` for text that is not a number with at most 38 digits between the first and the last
    /// that is not 0, as Foundation's decimals have.
    static func decimal(_ text: String) -> Decimal? {
        if text == "NaN" { return .nan }
        let isNegative = text.hasPrefix("-")
        let parts = text.drop { $0 == "-" }
            .split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = parts.count == 2 ? parts[1] : ""
        var digits = (parts.first ?? "") + fraction
        var exponent = -fraction.utf8.count
        while digits.last == "0" {
            digits.removeLast()
            exponent += 1
        }
        digits = digits.drop { $0 == "0" }
        guard !digits.isEmpty else { return text.isEmpty ? nil : 0 }
        guard digits.utf8.count <= 39, digits.utf8.allSatisfy({ (48...57).contains($0) }),
            (-128...127).contains(exponent),
            let significand = Decimal(
                string: String(digits), locale: Locale(identifier: "en_US_POSIX"))
        else { return nil }
        return Decimal(
            sign: isNegative ? .minus : .plus, exponent: exponent, significand: significand)
    }
}
