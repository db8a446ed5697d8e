import CairnModel
import CairnRows

/// Packs the rows of objects whose overlay has all their values, as that of a new object does. It writes
/// in one pass, into a row with known offsets, and costs half as much as the general path.
struct ValuePacking {
    private struct Step {
        let kind: RowLayout.Kind
        let slot: RowPen.Slot
    }

    let blank: RowPen.Blank
    /// The steps, by row slot.
    private let steps: ContiguousArray<Step>

    /// Returns `nil` if the layout has more slots than a pen supports, or a slot that only the general
    /// path can write.
    init?(_ layout: RowLayout) {
        guard let blank = RowPen.Blank(layout), layout.slots.allSatisfy({ Self.writes($0.kind) })
        else { return nil }
        self.blank = blank
        steps = ContiguousArray(
            layout.slots.map { Step(kind: $0.kind, slot: RowPen.Slot($0)) })
    }

    private static func writes(_ kind: RowLayout.Kind) -> Bool {
        switch kind {
        case .boolean, .int16, .int32, .int64, .float, .double, .date, .toOne, .string: true
        default: false
        }
    }

    /// Writes all values. Returns `false` if a value does not fit its slot or the row has no room for it.
    /// The general path then reports the error or makes room.
    ///
    /// - Parameter permanent: Returns the permanent ID of a destination.
    @inline(__always) func write(
        _ values: UnsafePointer<Value>, to pen: inout RowPen, _ permanent: (ObjectID) -> ObjectID
    ) -> Bool {
        for slot in steps.indices {
            let step = steps[slot]
            // Switches over the value alone, because a switch over value and kind would copy the value,
            // which counts references.
            switch values[slot] {
            case .null: if step.kind.isVariable { pen.skip(at: step.slot) }
            case .integer(let number) where step.kind == .int64:
                pen.put(number, at: step.slot)
            case .integer(let number) where step.kind == .int32:
                guard let number = Int32(exactly: number) else { return false }
                pen.put(number, at: step.slot)
            case .integer(let number) where step.kind == .int16:
                guard let number = Int16(exactly: number) else { return false }
                pen.put(number, at: step.slot)
            case .float(let number) where step.kind == .float:
                pen.put(number.bitPattern, at: step.slot)
            case .boolean(let flag) where step.kind == .boolean:
                pen.put(UInt8(flag ? 1 : 0), at: step.slot)
            case .double(let number) where step.kind == .double:
                pen.put(number.bitPattern, at: step.slot)
            case .date(let date) where step.kind == .date:
                pen.put(date.timeIntervalSinceReferenceDate.bitPattern, at: step.slot)
            case .string(let text) where step.kind == .string:
                let isWritten = text.utf8.withContiguousStorageIfAvailable {
                    pen.put(bytes: UnsafeRawBufferPointer($0), at: step.slot) != nil
                }
                guard isWritten == true else { return false }
            case .objectID(let id) where step.kind == .toOne:
                let destination = permanent(id)
                pen.put(key: destination.key, entity: destination.entity, at: step.slot)
            default: return false
            }
        }
        return true
    }
}
