import CairnCSQLite
import CairnModel
import CairnRows
import CairnSQL
import CairnStore
import Foundation

/// The columns that a statement sets from a row, and how their values are bound.
struct RowBinding {
    /// The binding of one slot. A trivial type, so that binding a row needs no reference counting.
    private struct Step {
        var slot: RowLayout.Slot
        /// The parameter of the value, or of the first leaf of a composite.
        var parameter: Int
        /// The parameter of a to-one relationship's entity, or 0 if there is no such column.
        var entityParameter = 0
    }

    /// The columns to set, in the order of their parameters.
    let columns: [SQLName]
    private let steps: [Step]
    private let slots: [SlotColumn]

    /// - Parameter firstParameter: The parameter of the first column. The other columns follow.
    init(_ slots: [SlotColumn], firstParameter: Int) {
        var columns: [SQLName] = []
        var steps: [Step] = []
        for column in slots {
            let parameter = firstParameter + columns.count
            var step = Step(slot: column.slot, parameter: parameter)
            switch column.form {
            case .value(let name): columns.append(name)
            case .toOne(let key, let entity, _):
                columns.append(key)
                if let entity {
                    columns.append(entity)
                    step.entityParameter = parameter + 1
                }
            case .composite(let elements):
                columns += elements.map(\.name)
            }
            steps.append(step)
        }
        self.columns = columns
        self.steps = steps
        self.slots = slots
    }

    /// Binds the row's values. Text and bytes are not copied, so the row must exist until the
    /// statement has been executed.
    ///
    /// - Throws: `.unsupportedValue` or `.engineFailure`, and the errors of writing external data.
    func bind(
        _ row: Row, to statement: SQLiteStatement, in save: SaveContext
    ) throws(StoreError) {
        let values = row.pointer
        for (index, step) in steps.enumerated() {
            let sink = ParameterSink(statement: statement, index: step.parameter)
            if step.slot.kind == .composite {
                try bindComposite(row, step, index, to: statement, in: save)
            } else if try !Self.putPlain(values, step.slot, into: sink) {
                try put(row, step.slot, index, into: sink, in: save)
            }
            guard step.entityParameter > 0 else { continue }
            let entity = ParameterSink(statement: statement, index: step.entityParameter)
            try putEntity(row, step.slot, into: entity, in: save)
        }
    }

    /// Puts the value of a slot, if this needs only the row's bytes.
    ///
    /// This is the hot path of a save, so it avoids reference counting.
    ///
    /// - Returns: `false` if nothing was put, because the value needs special treatment.
    @inline(__always) private static func putPlain(
        _ row: RowPointer, _ slot: RowLayout.Slot, into sink: ParameterSink
    ) throws(StoreError) -> Bool {
        if row.isNull(slot) {
            try sink.putNull()
            return true
        }
        switch slot.kind {
        case .int64: try sink.put(row.number(slot, as: Int64.self))
        case .int32: try sink.put(Int64(row.number(slot, as: Int32.self)))
        case .int16: try sink.put(Int64(row.number(slot, as: Int16.self)))
        case .boolean: try sink.put(Int64(row.number(slot, as: UInt8.self) == 0 ? 0 : 1))
        case .double, .date:
            let value = row.double(slot)
            guard value.isKept else { return false }
            try sink.put(value)
        case .string, .uri: try sink.put(uncopiedText: row.unsafeBytes(slot))
        case .binary, .transformable: try sink.put(uncopied: row.unsafeBytes(slot))
        default: return false
        }
        return true
    }

    // MARK: Values that need special treatment

    /// - Precondition: The value is not `nil`, and the slot is not a composite.
    private func put(
        _ row: Row, _ slot: RowLayout.Slot, _ index: Int, into sink: ParameterSink,
        in save: SaveContext
    ) throws(StoreError) {
        switch slot.kind {
        case .float: try put(Double(row.float(slot)), index, into: sink, in: save)
        case .double, .date: try put(row.double(slot), index, into: sink, in: save)
        case .decimal: try put(row.decimal(slot), index, into: sink, in: save)
        case .uuid: try sink.put(withUnsafeBytes(of: row.uuid(slot).uuid) { Data($0) })
        case .toOne: try sink.put(try key(of: row.objectID(slot), index, in: save))
        case .externalBinary: try putExternal(row, slot, index, into: sink, in: save)
        default: break
        }
    }

    /// Puts a floating-point number. SQLite stores NaN as NULL, and −0 as 0.
    private func put(
        _ value: Double, _ index: Int, into sink: ParameterSink, in save: SaveContext
    ) throws(StoreError) {
        if !value.isKept, !save.roundsValues {
            throw unsupported(
                index, "a SQLite store can only store \(value.isNaN ? "NaN as nil" : "−0 as 0")")
        }
        try sink.put(value)
    }

    private func put(
        _ value: Decimal, _ index: Int, into sink: ParameterSink, in save: SaveContext
    ) throws(StoreError) {
        switch StoredDecimal(value) {
        case .integer(let integer)?: try sink.put(integer)
        case .real(let real)?: try sink.put(real)
        case nil:
            guard save.roundsValues else {
                throw unsupported(
                    index,
                    "a SQLite store can only store a decimal with 15 digits or as a 64-bit integer")
            }
            try sink.put(Double(value.description) ?? .nan)
        }
    }

    private func key(
        of destination: ObjectID, _ index: Int, in save: SaveContext
    ) throws(StoreError) -> Int64 {
        guard destination.store == save.schema.store, destination.key > 0 else {
            throw unsupported(index, "its destination is not in the store")
        }
        return destination.key
    }

    /// Puts the store's number for the concrete entity of a to-one relationship's destination.
    private func putEntity(
        _ row: Row, _ slot: RowLayout.Slot, into sink: ParameterSink, in save: SaveContext
    ) throws(StoreError) {
        guard !row.isNull(slot),
            let number = save.schema.map.storeNumber(of: row.objectID(slot).entity)
        else { return try sink.putNull() }
        try sink.put(number)
    }

    /// Puts a value that may be stored in a file. The row and the column have the same form, except
    /// that the column has a zero byte after a file name, as in Core Data.
    private func putExternal(
        _ row: Row, _ slot: RowLayout.Slot, _ index: Int, into sink: ParameterSink,
        in save: SaveContext
    ) throws(StoreError) {
        switch row.externalBinary(slot) {
        case .inline(let data) where data.count > ExternalDataWriter.inlineByteCount:
            let name = try save.externalData.write(data)
            try sink.put(ExternalDataWriter.stored(name))
        case .inline: try sink.put(uncopied: row.unsafeBytes(slot))
        case .reference(let reference):
            guard let name = try save.externalData.keep(reference.name, in: row.id)
            else {
                throw unsupported(
                    index, "another save has removed the file “\(reference.name)” with its value")
            }
            try sink.put(ExternalDataWriter.stored(name))
        }
    }

    // MARK: Composites

    private func bindComposite(
        _ row: Row, _ step: Step, _ index: Int, to statement: SQLiteStatement,
        in save: SaveContext
    ) throws(StoreError) {
        guard case .composite(let elements) = slots[index].form else { return }
        let value = row.value(step.slot)
        var isEmpty = true
        for (offset, element) in elements.enumerated() {
            let leaf = value.element(at: element.path)
            isEmpty = isEmpty && leaf.isNull
            let sink = ParameterSink(statement: statement, index: step.parameter + offset)
            try put(leaf, index, into: sink, in: save)
        }
        if isEmpty, !value.isNull, !save.roundsValues, !slots[index].isRequiredComposite {
            throw unsupported(
                index, "a SQLite store can only store a composite whose elements are all nil as nil"
            )
        }
    }

    private func put(
        _ value: Value, _ index: Int, into sink: ParameterSink, in save: SaveContext
    ) throws(StoreError) {
        switch value {
        case .null, .objectID, .composite: try sink.putNull()
        case .boolean(let value): try sink.put(Int64(value ? 1 : 0))
        case .integer(let value): try sink.put(value)
        case .double(let value): try put(value, index, into: sink, in: save)
        case .float(let value): try put(Double(value), index, into: sink, in: save)
        case .decimal(let value): try put(value, index, into: sink, in: save)
        case .date(let value):
            try put(value.timeIntervalSinceReferenceDate, index, into: sink, in: save)
        case .string(let value): try sink.put(value)
        case .uri(let value): try sink.put(value.absoluteString)
        case .uuid(let value): try sink.put(withUnsafeBytes(of: value.uuid) { Data($0) })
        case .binary(let value), .transformable(let value): try sink.put(value)
        }
    }

    private func unsupported(_ index: Int, _ reason: String) -> StoreError {
        let property = slots[index].property
        let entity: String =
            switch property {
            case .attribute(let attribute): attribute.entity.name
            case .relationship(let relationship): relationship.entity.name
            case .fetchedProperty(let fetched): fetched.entity.name
            }
        return .unsupportedValue(entity: entity, attribute: property.name, reason: reason)
    }
}

extension Double {
    /// Whether SQLite stores the number unchanged. It does for all numbers except NaN and −0.
    fileprivate var isKept: Bool { !isNaN && (self != 0 || sign == .plus) }
}

extension Value {
    /// Returns the value at a path inside a composite, or `.null` if there is no such value.
    fileprivate func element(at path: [String]) -> Value {
        path.reduce(self) { value, name in
            if case .composite(let elements) = value { elements[name] ?? .null } else { .null }
        }
    }
}

/// A parameter of a statement.
struct ParameterSink {
    let statement: SQLiteStatement
    let index: Int

    func putNull() throws(StoreError) { try statement.bindNull(at: index) }
    func put(_ value: Int64) throws(StoreError) { try statement.bind(value, at: index) }
    func put(_ value: Double) throws(StoreError) { try statement.bind(value, at: index) }
    func put(uncopiedText bytes: UnsafeRawBufferPointer) throws(StoreError) {
        try statement.bindUncopied(text: bytes, at: index)
    }
    func put(uncopied bytes: UnsafeRawBufferPointer) throws(StoreError) {
        try statement.bindUncopied(blob: bytes, at: index)
    }
    func put(_ data: Data) throws(StoreError) { try statement.bind(data, at: index) }
    /// Puts a copy of the text.
    func put(_ text: String) throws(StoreError) { try statement.bind(text, at: index) }
}
