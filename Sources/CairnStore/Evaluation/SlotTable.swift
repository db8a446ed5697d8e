import CairnModel
import Foundation

/// Where one property stands in the rows of each entity that has it.
struct SlotTable: Sendable {
    private let first: UInt16
    private let slots: [RowLayout.Slot]

    init(_ entity: Entity, slot: Int?, _ layouts: RowLayouts) {
        first = entity.number.rawValue
        slots = entity.hierarchy.compactMap { entity in
            guard let slot, let layout = layouts.layout(of: entity.number),
                layout.slots.indices.contains(slot)
            else { return nil }
            return layout.slots[slot]
        }
    }

    /// The only entity that has the property, and where it stands there. `nil` if there are more.
    var only: (entity: EntityNumber, slot: RowLayout.Slot)? {
        slots.count == 1 ? (EntityNumber(first), slots[0]) : nil
    }

    /// `nil` for a row of another entity, or where rows do not hold the property.
    @inline(__always) func slot(for row: RowPointer) -> RowLayout.Slot? {
        let index = Int(row.entity.rawValue) - Int(first)
        return slots.indices.contains(index) ? slots[index] : nil
    }
}
