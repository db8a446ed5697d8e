import CairnModel
import CairnStore

/// Packs rows of objects that have all their values at hand, as new objects do: in one pass, into a row
/// whose offsets are known. Half of the general way's cost.
struct ValuePacking {
    private struct Step {
        let kind: RowLayout.Kind
        let place: RowPen.Slot
    }

    let blank: RowPen.Blank
    /// By row slot.
    private let steps: ContiguousArray<Step>

    /// nil for a layout with more slots than a pen takes, or with one that takes the general way.
    init?(_ layout: RowLayout) {
        guard let blank = RowPen.Blank(layout), layout.slots.allSatisfy({ Self.writes($0.kind) })
        else { return nil }
        self.blank = blank
        steps = ContiguousArray(
            layout.slots.map { Step(kind: $0.kind, place: RowPen.Slot($0)) })
    }

    private static func writes(_ kind: RowLayout.Kind) -> Bool {
        switch kind {
        case .boolean, .int16, .int32, .int64, .float, .double, .date, .toOne, .string: true
        default: false
        }
    }

    /// Writes all values. Returns `false` if a value does not fit its slot or there is no room for it.
    /// The general way then reports the error or makes room.
    ///
    /// - Parameter permanent: asked for each destination.
    @inline(__always) func write(
        _ values: UnsafePointer<Value>, to pen: inout RowPen, _ permanent: (ObjectID) -> ObjectID
    ) -> Bool {
        for slot in steps.indices {
            let step = steps[slot]
            // By the value alone: a switch over both would copy it, which counts references.
            switch values[slot] {
            case .null: if step.kind.isVariable { pen.skip(at: step.place) }
            case .integer(let number) where step.kind == .int64: pen.put(number, at: step.place)
            case .integer(let number) where step.kind == .int32:
                guard let number = Int32(exactly: number) else { return false }
                pen.put(number, at: step.place)
            case .integer(let number) where step.kind == .int16:
                guard let number = Int16(exactly: number) else { return false }
                pen.put(number, at: step.place)
            case .float(let number) where step.kind == .float:
                pen.put(number.bitPattern, at: step.place)
            case .boolean(let flag) where step.kind == .boolean:
                pen.put(UInt8(flag ? 1 : 0), at: step.place)
            case .double(let number) where step.kind == .double:
                pen.put(number.bitPattern, at: step.place)
            case .date(let date) where step.kind == .date:
                pen.put(date.timeIntervalSinceReferenceDate.bitPattern, at: step.place)
            case .string(let text) where step.kind == .string:
                let isWritten = text.utf8.withContiguousStorageIfAvailable {
                    pen.put(bytes: UnsafeRawBufferPointer($0), at: step.place) != nil
                }
                guard isWritten == true else { return false }
            case .objectID(let id) where step.kind == .toOne:
                let destination = permanent(id)
                pen.put(key: destination.key, entity: destination.entity, at: step.place)
            default: return false
            }
        }
        return true
    }
}
