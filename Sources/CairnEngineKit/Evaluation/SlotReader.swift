import CairnModel
import CairnRows
import Foundation

/// Reads one attribute from rows in place. An evaluator, which can also follow relationships and
/// compute, needs a reference to each row.
package struct SlotReader {
    private let slots: SlotTable
    private let kind: RowLayout.Kind
    /// The integer that is returned for every row, without reading it.
    private let constant: Int64?

    /// Returns `nil` unless the expression is an integer, or an attribute of the object itself whose
    /// values are numbers, dates or text.
    package init?(_ expression: BoundExpression, of entity: Entity, _ layouts: RowLayouts) {
        if case .constant(.integer(let integer)) = expression {
            (slots, kind, constant) = (SlotTable(entity, slot: nil, layouts), .int64, integer)
            return
        }
        guard case .path(let path) = expression, path.start == .evaluatedObject,
            path.relationships.isEmpty, path.collectionOperator == nil,
            case .attribute(let attribute) = path.leaf, let index = attribute.rowSlot,
            let layout = layouts.layout(of: attribute.entity.number),
            layout.slots.indices.contains(index)
        else { return nil }
        constant = nil
        kind = layout.slots[index].kind
        slots = SlotTable(attribute.entity, slot: index, layouts)
        switch kind {
        case .boolean, .int16, .int32, .int64, .float, .double, .date, .string: break
        default: return nil
        }
    }

    /// Whether the values are integers.
    package var isInteger: Bool { kind == .int16 || kind == .int32 || kind == .int64 }

    /// Returns the integer, or `nil` if the value is `nil` or the row's entity lacks the attribute.
    ///
    /// - Precondition: the values are integers.
    @inline(__always) package func integer(in row: RowPointer) -> Int64? {
        guard let slot = slots.slot(for: row) else { return constant }
        return row.isNull(slot) ? nil : row.integer(slot)
    }

    /// Appends the value of each reader. A call of `value(in:)` from another module copies the reader and
    /// counts its references, which took a fifth of the instructions of a row in memory.
    package static func append(
        _ row: RowPointer, _ readers: UnsafeBufferPointer<SlotReader>,
        to values: inout ContiguousArray<Value>
    ) {
        guard let first = readers.baseAddress else { return }
        for index in readers.indices { values.append((first + index).pointee.value(in: row)) }
    }

    /// Returns the value, or `.null` if the row's entity lacks the attribute.
    @inline(__always) package func value(in row: RowPointer) -> Value {
        if isInteger { return integer(in: row).map(Value.integer) ?? .null }
        guard let slot = slots.slot(for: row), !row.isNull(slot) else { return .null }
        return switch kind {
        case .boolean: .boolean(row.number(slot, as: UInt8.self) != 0)
        case .float: .float(row.float(slot))
        case .double: .double(row.double(slot))
        case .date: .date(Date(timeIntervalSinceReferenceDate: row.double(slot)))
        default: .string(row.string(slot))
        }
    }
}
