import CairnModel
import CairnStore
import Foundation

/// Which columns a statement sets from a row, and how each is bound.
struct RowBinding {
    /// One slot: trivial to copy, so that binding a row touches no reference count.
    private struct Step {
        var slot: RowLayout.Slot
        /// The parameter of the value, or of the first leaf of a composite.
        var parameter: Int
        /// The parameter of a to-one's entity; 0: there is no such column.
        var entityParameter = 0
        /// How many columns there are, without that one.
        var columnCount = 1
    }

    /// The columns set, in the order of their parameters.
    let columns: [SQLName]
    private let steps: [Step]
    private let slots: [SlotColumn]

    /// - Parameter firstParameter: of the first column; the others follow.
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
                step.columnCount = elements.count
            }
            steps.append(step)
        }
        self.columns = columns
        self.steps = steps
        self.slots = slots
    }

    /// Binds the row's values. Text and bytes are not copied: the row must outlive the step.
    ///
    /// - Throws: `.unsupportedValue`, `.engineFailure`; what `external` throws.
    func bind(
        _ row: Row, to statement: SQLiteStatement, in save: SaveContext
    ) throws(StoreError) {
        for (index, step) in steps.enumerated() {
            if row.isNull(step.slot) {
                try bindNull(step, to: statement)
            } else {
                try bind(row, step, index, to: statement, in: save)
            }
        }
    }

    private func bindNull(_ step: Step, to statement: SQLiteStatement) throws(StoreError) {
        for offset in 0..<step.columnCount {
            try statement.bindNull(at: step.parameter + offset)
        }
        if step.entityParameter > 0 { try statement.bindNull(at: step.entityParameter) }
    }

    private func bind(
        _ row: Row, _ step: Step, _ index: Int, to statement: SQLiteStatement,
        in save: SaveContext
    ) throws(StoreError) {
        let (slot, parameter) = (step.slot, step.parameter)
        switch slot.kind {
        case .boolean: try statement.bind(Int64(row.boolean(slot) ? 1 : 0), at: parameter)
        case .int16, .int32, .int64: try statement.bind(row.integer(slot), at: parameter)
        case .float:
            try bind(Double(row.float(slot)), index, to: statement, at: parameter, in: save)
        case .double, .date:
            try bind(row.double(slot), index, to: statement, at: parameter, in: save)
        case .decimal:
            try bind(row.decimal(slot), index, to: statement, at: parameter, in: save)
        case .uuid:
            let uuid = row.uuid(slot).uuid
            try statement.bind(withUnsafeBytes(of: uuid) { Data($0) }, at: parameter)
        case .toOne: try bindToOne(row.objectID(slot), step, index, to: statement, in: save)
        case .string, .uri:
            try statement.bindUncopied(text: row.unsafeBytes(slot), at: parameter)
        case .binary, .transformable:
            try statement.bindUncopied(blob: row.unsafeBytes(slot), at: parameter)
        case .externalBinary: try bindExternal(row, slot, to: statement, at: parameter, in: save)
        case .composite:
            try bindComposite(row.value(slot), step, index, to: statement, in: save)
        }
    }

    // MARK: Kinds with rules of their own

    /// SQLite keeps NaN as NULL, and −0 as 0.
    private func bind(
        _ value: Double, _ index: Int, to statement: SQLiteStatement, at parameter: Int,
        in save: SaveContext
    ) throws(StoreError) {
        if value.isNaN || value == 0 && value.sign == .minus, !save.roundsValues {
            throw unsupported(
                index, "a SQLite store keeps \(value.isNaN ? "NaN as nil" : "−0 as 0")")
        }
        try statement.bind(value, at: parameter)
    }

    private func bind(
        _ value: Decimal, _ index: Int, to statement: SQLiteStatement, at parameter: Int,
        in save: SaveContext
    ) throws(StoreError) {
        switch StoredDecimal(value) {
        case .integer(let integer)?: try statement.bind(integer, at: parameter)
        case .real(let real)?: try statement.bind(real, at: parameter)
        case nil:
            guard save.roundsValues else {
                throw unsupported(
                    index, "a SQLite store keeps a decimal with 15 digits, or as a 64-bit integer")
            }
            try statement.bind(Double(value.description) ?? .nan, at: parameter)
        }
    }

    private func bindToOne(
        _ destination: ObjectID, _ step: Step, _ index: Int, to statement: SQLiteStatement,
        in save: SaveContext
    ) throws(StoreError) {
        guard destination.store == save.schema.store, destination.key > 0 else {
            throw unsupported(index, "its destination is not in the store")
        }
        try statement.bind(destination.key, at: step.parameter)
        guard step.entityParameter > 0 else { return }
        try statement.bind(
            save.schema.map.storeNumber(of: destination.entity), at: step.entityParameter)
    }

    /// The packed row's form is Core Data's own, but for the zero byte behind a name.
    private func bindExternal(
        _ row: Row, _ slot: RowLayout.Slot, to statement: SQLiteStatement, at parameter: Int,
        in save: SaveContext
    ) throws(StoreError) {
        switch row.externalBinary(slot) {
        case .inline(let data) where data.count > ExternalDataWriter.inlineByteCount:
            let name = try save.externalData.write(data)
            try statement.bind(ExternalDataWriter.stored(name), at: parameter)
        case .inline:
            try statement.bindUncopied(blob: row.unsafeBytes(slot), at: parameter)
        case .reference(let reference):
            try statement.bind(ExternalDataWriter.stored(reference.name), at: parameter)
        }
    }

    private func bindComposite(
        _ value: Value, _ step: Step, _ index: Int, to statement: SQLiteStatement,
        in save: SaveContext
    ) throws(StoreError) {
        guard case .composite(let elements) = slots[index].form else { return }
        var isEmpty = true
        for (offset, element) in elements.enumerated() {
            let leaf = value.element(at: element.path)
            isEmpty = isEmpty && leaf.isNull
            try bind(leaf, index, to: statement, at: step.parameter + offset, in: save)
        }
        if isEmpty, !save.roundsValues {
            throw unsupported(index, "a SQLite store keeps a composite of nothing as nil")
        }
    }

    private func bind(
        _ value: Value, _ index: Int, to statement: SQLiteStatement, at parameter: Int,
        in save: SaveContext
    ) throws(StoreError) {
        switch value {
        case .null, .objectID, .composite: try statement.bindNull(at: parameter)
        case .boolean(let value): try statement.bind(Int64(value ? 1 : 0), at: parameter)
        case .integer(let value): try statement.bind(value, at: parameter)
        case .double(let value):
            try bind(value, index, to: statement, at: parameter, in: save)
        case .float(let value):
            try bind(Double(value), index, to: statement, at: parameter, in: save)
        case .decimal(let value):
            try bind(value, index, to: statement, at: parameter, in: save)
        case .date(let value):
            let seconds = value.timeIntervalSinceReferenceDate
            try bind(seconds, index, to: statement, at: parameter, in: save)
        case .string(let value): try statement.bind(value, at: parameter)
        case .uri(let value): try statement.bind(value.absoluteString, at: parameter)
        case .uuid(let value):
            try statement.bind(withUnsafeBytes(of: value.uuid) { Data($0) }, at: parameter)
        case .binary(let value), .transformable(let value):
            try statement.bind(value, at: parameter)
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

extension Value {
    /// The value inside a composite; null where there is none.
    fileprivate func element(at path: [String]) -> Value {
        path.reduce(self) { value, name in
            if case .composite(let elements) = value { elements[name] ?? .null } else { .null }
        }
    }
}
