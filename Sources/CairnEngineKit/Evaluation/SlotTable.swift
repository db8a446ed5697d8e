import CairnModel
import CairnRows
import Foundation

/// The slot of one property in the rows of each entity that has the property.
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

    /// The only entity that has the property, and its slot. `nil` if several entities have the
    /// property.
    var only: (entity: EntityNumber, slot: RowLayout.Slot)? {
        slots.count == 1 ? (EntityNumber(first), slots[0]) : nil
    }

    /// Returns the slot for a row, or `nil` if the row's entity does not have the property or does
    /// not store it in rows.
    @inline(__always) func slot(for row: RowPointer) -> RowLayout.Slot? {
        let index = Int(row.entity.rawValue) - Int(first)
        return slots.indices.contains(index) ? slots[index] : nil
    }
}
