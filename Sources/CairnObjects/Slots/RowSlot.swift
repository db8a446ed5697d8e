import CairnModel
import CairnRows

// The numbers that the model gives to properties. They are created only in this file, from the model and
// its row layouts, so that other numbers are not mistaken for them.

/// The number of an attribute or to-one relationship in the packed rows of its entity; see
/// ``CairnModel/PropertyStorage/row(slot:)``.
///
/// The properties of a class have different numbers; see ``_Property.Mark``.
struct RowSlot: SlotNumber {
    let index: Int

    init(_ index: Int) {
        self.index = index
    }
}

extension RowLayout {
    /// All slots, in the order of their numbers.
    var rowSlots: some RandomAccessCollection<RowSlot> { slots.indices.lazy.map(RowSlot.init) }

    /// Returns whether rows have the slot.
    func contains(_ slot: RowSlot) -> Bool { slot.index < slots.count }

    /// The location of a slot's value in a row.
    subscript(slot: RowSlot) -> Slot { slots[slot.index] }

    /// Returns the property of a slot.
    func property(at slot: RowSlot) -> Property { properties[slot.index] }
}

extension RowLayout.Slot {
    /// The number of the slot.
    var rowSlot: RowSlot { RowSlot(Int(index)) }
}
