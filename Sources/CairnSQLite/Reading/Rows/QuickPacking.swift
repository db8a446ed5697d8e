import CairnCSQLite
import CairnModel
import CairnRows

/// Copies the columns of a row whose entity has only common kinds of columns: integers,
/// floating-point numbers, Booleans, dates, strings, and to-one relationships to a single entity.
///
/// Copying stops at the first value that does not fit its column, or when a slab is full.
/// ``RowCodec`` then copies the row the slow way and reports what is wrong, so this type needs no
/// errors. Without it, a fetch of a whole table takes 6 to 9 % more processor time, and reading
/// rows by key or by an index 2 % more (benchmark rows A and B; G, H and J).
struct QuickPacking: Sendable {
    /// How one column is copied. A trivial type, so that reading it needs no reference counting.
    struct Step: Sendable {
        fileprivate let kind: RowLayout.Kind
        fileprivate let column: Int32
        fileprivate let slot: RowPen.Slot
        fileprivate let destination: EntityNumber

        init(_ source: RowCodec.Source) {
            kind = source.slot.kind
            column = source.column
            slot = RowPen.Slot(source.slot)
            destination = source.destination
        }
    }

    let blank: RowPen.Blank
    private let steps: FrozenElements<Step>

    /// Returns `nil` if a column is of any other kind.
    ///
    /// - Parameter steps: The steps for `sources`. The owner of this value must also keep the
    ///   table.
    init?(_ layout: RowLayout, _ sources: [RowCodec.Source], steps: FrozenTable<Step>) {
        guard let blank = RowPen.Blank(layout), sources.allSatisfy(Self.suits) else { return nil }
        self.blank = blank
        self.steps = steps.elements
    }

    private static func suits(_ source: RowCodec.Source) -> Bool {
        switch source.slot.kind {
        case .int64, .int32, .int16, .boolean, .double, .date, .string: true
        case .toOne: source.entityColumn == nil
        default: false
        }
    }

    /// Copies all columns. Returns `false` if the row must be copied the slow way.
    @inline(__always) func copy(_ columns: some StoredColumns, to pen: inout RowPen) -> Bool {
        for step in steps {
            let type = columns.type(step.column)
            if type == SQLITE_NULL {
                if step.kind == .string { pen.skip(at: step.slot) }
                continue
            }
            guard copy(columns, type, step, to: &pen) else { return false }
        }
        return true
    }

    @inline(__always) private func copy(
        _ columns: some StoredColumns, _ type: Int32, _ step: Step, to pen: inout RowPen
    ) -> Bool {
        if step.kind == .string {
            guard type == SQLITE_TEXT else { return false }
            let bytes = columns.bytes(step.column)
            guard let bits = pen.put(bytes: bytes, at: step.slot) else { return false }
            return bits & 0x8080_8080_8080_8080 == 0 || bytes.isUTF8
        }
        if type == SQLITE_FLOAT {
            guard step.kind == .double || step.kind == .date else { return false }
            pen.put(columns.double(step.column).bitPattern, at: step.slot)
            return true
        }
        guard type == SQLITE_INTEGER else { return false }
        return put(columns.int64(step.column), step, to: &pen)
    }

    @inline(__always) private func put(_ value: Int64, _ step: Step, to pen: inout RowPen) -> Bool {
        switch step.kind {
        case .int64: pen.put(value, at: step.slot)
        case .toOne:
            guard value > 0 else { return false }
            pen.put(key: value, entity: step.destination, at: step.slot)
        case .boolean:
            guard value & ~1 == 0 else { return false }
            pen.put(UInt8(truncatingIfNeeded: value), at: step.slot)
        case .int32:
            guard let narrow = Int32(exactly: value) else { return false }
            pen.put(narrow, at: step.slot)
        case .int16:
            guard let narrow = Int16(exactly: value) else { return false }
            pen.put(narrow, at: step.slot)
        case .double, .date:
            // A column with NUMERIC affinity returns whole numbers as INTEGER.
            guard let number = Double(exactly: value) else { return false }
            pen.put(number.bitPattern, at: step.slot)
        default: return false
        }
        return true
    }
}
